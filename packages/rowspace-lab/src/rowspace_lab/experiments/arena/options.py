"""The options of an arena: fields with help, bounds and defaults for the command line."""

import dataclasses
from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from rowspace._base.options import Option, validate_options
from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError
from rowspace_lab.experiments.arena.strategies import STRATEGIES, TASKS, Strategy

__all__ = ["ArenaKeywords", "ArenaOptions"]

# Options that may differ when an arena is continued: they say which cells to run, not how.
_WHICH_CELLS = ("seeds", "strategies", "tasks", "workers")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ArenaOptions:
    """What runs, how long, and how large.

    Attributes:
        quick: One seed, 1.2 seconds and less text, unless other options say otherwise. No winner is named.
        seconds: CPU seconds of training per run, as `time.process_time` measures them. None is 20.
        seeds: Runs of each strategy on each task. None is 3.
        scale: Divides all strategies: vocabulary sizes by `scale`, the common width of rows is 2048 / `scale`, sides of
            patches and images by its square root, rounded down to a power of two and at most 4.
        layers: Blocks between the input and the prediction.
        megabytes: Maximum size of the text that is read, in MB. None is 2.
        strategies: Names of the strategies to run; None is all six.
        tasks: Names of the tasks to run; None is all four.
        curve: Whether to measure byte pairs at several vocabulary sizes too.
        column: The column that holds the text, of files with records.
        workers: Runs at the same time, each with one thread.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> options = ArenaOptions(quick=True)
    >>> options.budget, options.num_seeds, options.dim
    (1.2, 1, 64)
    """

    quick: Annotated[
        bool, Option("One seed and little text, in about a minute; no winner.", default="no", flags="--quick")
    ] = False
    seconds: Annotated[
        float | None, Option("CPU seconds of training per run.", minimum=0.01, maximum=1e7, default="20; quick 1.2")
    ] = None
    seeds: Annotated[
        int | None, Option("Runs of each strategy on each task.", minimum=1, maximum=1_000, default="3; quick 1")
    ] = None
    scale: Annotated[int, Option("Divisor of the full sizes.", minimum=1, maximum=256)] = 32
    layers: Annotated[int, Option("Blocks of the model.", minimum=1, maximum=100)] = 2
    megabytes: Annotated[
        float | None,
        Option("Maximum size of the text that is read, in MB.", minimum=0.01, maximum=1e6, default="2; quick 0.4"),
    ] = None
    strategies: Annotated[
        Iterable[str] | None, Option(f"A strategy to run, of {', '.join(STRATEGIES)}; repeat for more.", default="all")
    ] = None
    tasks: Annotated[
        Iterable[str] | None, Option(f"A task to run, of {', '.join(TASKS)}; repeat for more.", default="all")
    ] = None
    curve: Annotated[
        bool,
        Option("Also measure byte pairs at several vocabulary sizes.", default="curve", flags="--curve/--no-curve"),
    ] = True
    column: Annotated[
        str | None,
        Option("The column with the text, in files with records (JSON, CSV, Parquet).", default="plain text"),
    ] = None
    workers: Annotated[
        int | None,
        Option("Runs at the same time, one thread each.", minimum=1, maximum=1_024, default="all cores"),
    ] = None

    def __post_init__(self) -> None:
        validate_options(self)
        object.__setattr__(self, "strategies", _names("strategies", self.strategies, tuple(STRATEGIES)))
        object.__setattr__(self, "tasks", _names("tasks", self.tasks, TASKS))
        if self.column is not None and not (isinstance(self.column, str) and self.column):
            raise UsageError(f"column must be the name of a column, not {self.column!r}")

    @property
    def budget(self) -> float:
        """CPU seconds of training per run."""
        return (1.2 if self.quick else 20.0) if self.seconds is None else self.seconds

    @property
    def num_seeds(self) -> int:
        """Runs of each strategy on each task."""
        return (1 if self.quick else 3) if self.seeds is None else self.seeds

    @property
    def text_bytes(self) -> int:
        """Maximum number of bytes of text to read."""
        return round(1e6 * ((0.4 if self.quick else 2.0) if self.megabytes is None else self.megabytes))

    @property
    def num_held_out(self) -> int:
        """Maximum number of held-out inputs of a task."""
        return 100 if self.quick else 400

    @property
    def dim(self) -> int:
        """Width of the rows and hidden states of all strategies."""
        return max(8, 2048 // self.scale // 4 * 4)

    @property
    def divisor(self) -> int:
        """The number by which the sides of patches and images are divided."""
        return 4 if self.scale >= 16 else 2 if self.scale >= 4 else 1

    @property
    def strip_height(self) -> int:
        """Height of rendered text in pixels, that of the larger patch."""
        return 32 // self.divisor

    @property
    def image_side(self) -> int:
        """Side of an image in pixels."""
        return 64 // self.divisor

    @property
    def curve_sizes(self) -> list[int]:
        """Vocabulary sizes of the curve: from 256 bytes to about the largest vocabulary, in powers of two."""
        most = 131_072 // self.scale
        sizes = [256 << doubled for doubled in range(20) if 256 << doubled <= max(256, most)]
        return sizes[::2] if self.quick else sizes

    @property
    def runs_at_once(self) -> int:
        """The number of workers."""
        return self.workers or available_cores()

    @property
    def num_runs(self) -> int:
        """The number of runs: strategies on tasks, and the curve, with each seed."""
        tasks, strategies = tuple(self.tasks or ()), tuple(self.strategies or ())
        points = len(self.curve_sizes) if self.curve and "next-bytes" in tasks else 0
        return self.num_seeds * (len(tasks) * len(strategies) + points)

    @property
    def chosen_strategies(self) -> list[Strategy]:
        """The strategies to run."""
        return [STRATEGIES[name] for name in self.strategies or ()]

    def settings(self) -> dict[str, Any]:
        """Return the options that the result of a cell depends on, as values of JSON."""
        values = dataclasses.asdict(self) | {"seconds": self.budget, "megabytes": self.text_bytes / 1e6}
        return {name: value for name, value in values.items() if name not in _WHICH_CELLS}


def _names(option: str, names: Iterable[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen names, or all, in the order of `known`; raise `UsageError` for an unknown name, or none."""
    chosen = known if names is None else (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in known:
            raise UsageError(f"{option} must be among {', '.join(known)}, not {name!r}")
    if not chosen:
        raise UsageError(f"{option} must name at least one of {', '.join(known)}")
    return tuple(name for name in known if name in chosen)


class ArenaKeywords(TypedDict, total=False):
    """The options of `run_arena`, for type checkers; `shows_options` lists them at run time."""

    quick: bool
    seconds: float | None
    seeds: int | None
    scale: int
    layers: int
    megabytes: float | None
    strategies: Iterable[str] | None
    tasks: Iterable[str] | None
    curve: bool
    column: str | None
    workers: int | None

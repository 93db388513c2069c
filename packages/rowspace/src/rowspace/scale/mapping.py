"""A function and parts → results, wherever the parts are worked on: `map_parts`."""

import platform
import socket
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar

from rowspace._base.plural import plural
from rowspace.errors import MissingExtraError, RowspaceError, UsageError, reason_of
from rowspace.scale.engines import ENGINES, Engine, On, Outcome, engine_for

__all__ = ["check_engine", "map_parts", "refuse_other_versions", "versions"]


class Named(Protocol):
    """What a part needs."""

    @property
    def name(self) -> str:
        """Its name, in messages."""


Each = TypeVar("Each", bound=Named)
Value = TypeVar("Value")


def map_parts(
    function: Callable[[Each], Value], parts: Sequence[Each], *, on: On = "processes", workers: int | None = None
) -> Iterator[tuple[Each, Value]]:
    """Yield each part with what a function returns for it, in the order in which they are done.

    At most `workers` parts are worked on at a time. A part whose worker dies is given to another, up to three times.

    Args:
        function: A function of a module, or an object of one that can be called and pickled.
        parts: The parts.
        on: "processes" of this machine, "ray", "dask", an executor, or None for this process.
        workers: How many workers; None is one for each core of the machine or the cluster.

    Raises:
        UsageError: The engine or the number of workers is unknown.
        MissingExtraError: The engine is not installed.
        RowspaceError: A part failed (`UsageError`: by a wrong argument). Those that have begun are finished first.
    """
    check_engine(on, workers)
    if not parts:
        return
    engine = engine_for(on, _Checked(function, versions()), workers)
    try:
        yield from _done(engine, parts)
    finally:
        engine.close()


def check_engine(on: On, workers: int | None) -> None:
    """Raise the errors of `map_parts` about the engine and the number of workers; call it before long work."""
    if workers is not None and workers < 1:
        raise UsageError(f"workers must be at least 1, got {workers}")
    if on is not None and not isinstance(on, Executor) and on not in ENGINES:
        raise UsageError(f"on must be 'processes', 'ray', 'dask' or an executor of concurrent.futures, not {on!r}")
    if on == "ray" and find_spec("ray") is None:
        raise MissingExtraError("Ray is not installed: pip install 'rowspace[scale]'")
    if on == "dask" and find_spec("distributed") is None:
        raise MissingExtraError("Dask is not installed: pip install distributed")


def _done(engine: Engine, parts: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    waiting, working, done, failed = list(reversed(parts)), 0, 0, list[Outcome]()
    while working or (waiting and not failed):
        while waiting and working < engine.workers and not failed:
            engine.submit(waiting.pop())
            working += 1
        outcome = engine.next()
        working -= 1
        if outcome.failure:
            failed.append(outcome)
        else:
            done += 1
            yield outcome.part, outcome.value
    if failed:
        first = min(failed)
        more = f", and {plural(len(failed) - 1, 'more part')} failed" if len(failed) > 1 else ""
        error = (UsageError if first.is_usage else RowspaceError)(
            f"part {first.part.name} failed: {first.failure}{more}; {plural(done, 'other part')} done"
        )
        if first.trace:
            error.add_note(first.trace)
        raise error


def refuse_other_versions(expected: str) -> str:
    """Return a sentence if this process does not have the `versions` of the one that asks; else nothing."""
    here = versions()
    if here == expected:
        return ""
    return (
        f"the worker on {socket.gethostname()} has {here}, and this process {expected}; install the same versions on "
        "all machines"
    )


def versions() -> str:
    """Return what must be the same on all machines."""
    return f"rowspace {version('rowspace')} and Python {'.'.join(platform.python_version_tuple()[:2])}"


@dataclass(frozen=True)
class _Checked:
    """A function on a worker with the same versions; its exceptions become outcomes."""

    function: Callable[[Any], Any]
    versions: str

    def __call__(self, part: Any) -> Outcome:
        """Return the outcome of a part."""
        wrong = refuse_other_versions(self.versions)
        if wrong:
            return Outcome(part, failure=wrong)
        try:
            return Outcome(part, self.function(part))
        except RowspaceError as error:
            return Outcome(part, failure=str(error), is_usage=isinstance(error, UsageError))
        except Exception as error:  # one part must not end the worker of others
            failure = f"{type(error).__name__}: {reason_of(error)} (on {socket.gethostname()})"
            return Outcome(part, failure=failure, trace=traceback.format_exc())

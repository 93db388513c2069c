"""`run_arena`: all runs that are missing, in worker processes, and the summary of all."""

import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from rowspace._base.atomic import scratch_folder, translate_os_errors
from rowspace._base.interrupt import stop_requests
from rowspace._base.options import check_option_names, shows_options
from rowspace._base.plural import plural
from rowspace._base.work_folder import locked
from rowspace.errors import MissingExtraError, RowspaceError
from rowspace.text import Corpus
from rowspace_lab.experiments.arena.options import ArenaKeywords, ArenaOptions
from rowspace_lab.experiments.arena.runs.saved import SavedResults
from rowspace_lab.experiments.arena.tasks.chunks import read_documents

try:
    import PIL  # noqa: F401  # only to see whether it is installed
    import sklearn  # noqa: F401  # likewise
    import torch  # noqa: F401  # likewise
except ImportError as error:
    raise MissingExtraError(
        f"the arena needs PyTorch, scikit-learn and Pillow, but {error.name} is missing: "
        "pip install 'rowspace[torch,analysis]'"
    ) from error

from rowspace_lab.experiments.arena.report.summary import TaskFacts, summarize
from rowspace_lab.experiments.arena.runs.pool import run_requests
from rowspace_lab.experiments.arena.runs.worker import Request
from rowspace_lab.experiments.arena.tasks.baselines import baseline
from rowspace_lab.experiments.arena.tasks.samples import Task, make_tasks

__all__ = ["OnCell", "OnStart", "run_arena"]

OnStart = Callable[[int, int], None]
OnCell = Callable[[int, int, str, dict[str, Any]], None]


@shows_options(ArenaOptions)
def run_arena(
    corpus: Corpus | None = None,
    *,
    output: str | Path | None = None,
    on_start: OnStart | None = None,
    on_cell: OnCell | None = None,
    **options: Unpack[ArenaKeywords],
) -> dict[str, Any]:
    """Run input strategies on tasks, each with the same CPU time, and compare them.

    Args:
        corpus: As for `rowspace.fit`, but no token lists; None is the source and docstrings of the running Python.
        output: A folder for the results file `arena.json`, which is written after each run. If it has runs with the
            same options and text, these are not run again; `read_arena` opens it. None saves nothing.
        on_start: Called before the first run with the number of saved runs and that of all.
        on_cell: Called after each run with the number of finished runs, that of all, the run's key
            "task/strategy/seed" and its result.
        **options: The fields of `ArenaOptions`: quick=False, seconds=20, seeds=3, scale=32, tasks=None, ...

    Returns:
        A document that JSON holds: "entries" with quality, spread, costs, a sentence on why, learning curves and wrong
        answers of each strategy on each task; "tasks" with baselines and winners; "strategies" with sizes at full size
        and scaled down; "curve" over vocabulary sizes; and the "verdict".

    Raises:
        UsageError: An option is unknown or invalid, or the folder has runs with other options.
        CorpusError: The corpus cannot be read, or is too short.
        MissingExtraError: PyTorch, scikit-learn or Pillow is not installed.
        RowspaceError: Ctrl-C or SIGTERM, or another arena writes to the folder. Finished runs are saved.

    Example:
        >>> result = run_arena(tasks=["images"], strategies=["patches-32"], seeds=1, seconds=0.1, curve=False)
        >>> result["entries"][0]["strategy"], result["entries"][0]["seeds"]
        ('patches-32', 1)
    """
    check_option_names("run_arena", options, ArenaOptions)
    chosen = ArenaOptions(**options)
    documents = list(read_documents(corpus, limit=chosen.text_bytes, column=chosen.column))
    tasks = make_tasks(documents, chosen)
    summary = partial(summarize, options=chosen, tasks={name: _facts(task) for name, task in tasks.items()})
    with ExitStack() as stack:
        folder = None if output is None else _open_folder(Path(output), stack)
        saved = SavedResults(folder, chosen.settings() | {"text": _checksum(documents)}, summary)
        saved.save()
        requests = _requests(chosen, saved.finished)
        done = chosen.num_runs - sum(len(request.seeds) for request in requests)
        if on_start:
            on_start(done, chosen.num_runs)
        for key, cell in _run(requests, documents, chosen):
            done += 1
            saved.add(key, cell)
            if on_cell:
                on_cell(done, chosen.num_runs, key, cell)
    return summary(saved.cells)


def _open_folder(folder: Path, stack: ExitStack) -> Path:
    """Make the folder and hold its lock."""
    with translate_os_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if not stack.enter_context(locked(folder)):
        raise RowspaceError(
            f"another arena is writing to {str(folder)!r}; wait until it ends, or choose another folder"
        )
    return folder


def _checksum(documents: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(documents).encode("utf-8", "replace")).hexdigest()


def _requests(options: ArenaOptions, finished: set[str]) -> list[Request]:
    """What is missing, a strategy on a task with all its seeds in one piece, since they share its form."""
    seeds = list(range(1, options.num_seeds + 1))
    every = [
        Request(task, strategy.name, seeds) for task in options.tasks or () for strategy in options.chosen_strategies
    ]
    if options.curve and "next-bytes" in (options.tasks or ()):
        every += [Request("next-bytes", "bpe", seeds, size) for size in options.curve_sizes]
    missing = []
    for request in every:
        left = [seed for seed, key in zip(request.seeds, request.keys, strict=True) if key not in finished]
        missing += [dataclasses.replace(request, seeds=left)] if left else []
    return missing


def _run(
    requests: Sequence[Request], documents: Sequence[str], options: ArenaOptions
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the key and the result of each run; raise `RowspaceError` if a signal stops them."""
    if not requests:
        return
    left = sum(len(request.seeds) for request in requests)
    with scratch_folder("arena") as folder, stop_requests() as stop:
        job = {"options": dataclasses.asdict(options), "documents": documents}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        for result in run_requests(folder, requests, workers=options.runs_at_once, is_stopped=stop.is_set):
            left -= 1
            yield result.pop("key"), result.get("cell", result)
        if stop.is_set() and left:
            done = plural(options.num_runs - left, "run")
            raise RowspaceError(
                f"stopped after {done} of {options.num_runs}; the same call with the same output continues"
            )


def _facts(task: Task) -> TaskFacts:
    """The facts of a task for the summary."""
    units = (task.units[number] for number in task.test.units.ravel().tolist())
    words = sum(unit.endswith(b" ") for unit in units if isinstance(unit, bytes))
    return TaskFacts(
        baseline=baseline(task),
        classes=task.classes,
        train_inputs=len(task.train),
        test_inputs=len(task.test),
        words_per_input=words / len(task.test),
    )

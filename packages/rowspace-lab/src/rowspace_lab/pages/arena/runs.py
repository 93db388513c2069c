"""The page's own arenas: a job that runs one and saves each run, so that a stopped arena continues."""

import importlib.util
import platform
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rowspace._base.atomic import make_scratch
from rowspace.errors import MissingExtraError
from rowspace_lab.experiments import ArenaOptions
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.arena.saved import arena_id, own_folder
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

__all__ = ["BUDGETS", "Budgets", "job_kinds", "missing_extra", "options_of", "output_folder", "run_live"]

Budgets = Mapping[str, Mapping[str, Any]]
"""The options of each budget, of which the first is the default."""
BUDGETS: Budgets = {
    "quick": {"quick": True},
    "5": {"seconds": 5.0},
    "20": {},
    "60": {"seconds": 60.0},
}
"""The budgets of the page; numbers are CPU seconds of a run."""
SEEDS = ("1", "3", "5")
SCALES = ("32", "64", "128")
_PACKAGES = ("torch", "sklearn", "PIL")

News = tuple[int, str]


def missing_extra() -> str | None:
    """Return what to install before an arena can run, or None."""
    if all(importlib.util.find_spec(name) for name in _PACKAGES):
        return None
    return "An arena needs PyTorch, scikit-learn and Pillow: pip install 'rowspace[torch,analysis]'"


def options_of(budgets: Budgets, query: Query) -> dict[str, Any]:
    """`budget`, `seeds`, `scale` → the options of `run_arena` that are not its defaults."""
    budget = budgets[query.choice("budget", tuple(budgets))]
    default = ArenaOptions(**budget)
    chosen = {"seeds": int(query.choice("seeds", SEEDS, str(default.num_seeds)))}
    chosen["scale"] = int(query.choice("scale", SCALES))
    same = {"seeds": default.num_seeds, "scale": default.scale}
    return {**budget, **{name: value for name, value in chosen.items() if value != same[name]}}


def output_folder(options: Mapping[str, Any]) -> Path:
    """Return the folder of an arena with these options: runs with more seeds continue those with fewer.

    The text is the standard library of this Python, so each version of it has its own folder.
    """
    chosen = ArenaOptions(**options)
    kind = "quick" if chosen.quick else "full"
    versions = f"python{platform.python_version()}-rowspace{version('rowspace')}"
    return own_folder() / f"{kind}-{chosen.budget:g}s-scale{chosen.scale}-{versions}"


def run_live(*, output: str, options: Mapping[str, Any], scratch: str) -> Iterator[Progress | Reply]:
    """Run what is missing of an arena; a frame before the first run and after each."""
    total = ArenaOptions(**options).num_runs
    yield Progress(0, "reading the text")
    Path(output).mkdir(parents=True, exist_ok=True)

    def work(report: Callable[[News], None]) -> None:
        from rowspace_lab.experiments import run_arena  # imports PyTorch

        run_arena(
            output=output,
            on_start=lambda done, _: report((done, "the first ones have begun")),
            on_cell=lambda done, _, key, cell: report((done, f"the last one: {key}, {_outcome(cell)}")),
            **options,
        )

    id = arena_id(Path(output))
    with _temporary_files_in(scratch):
        for done, news in iterate_callbacks(work):
            yield Progress(done / total, f"{done} of {total} runs; {news}")
            yield Reply({"id": id, "done": done, "total": total, "finished": False})
    yield Reply({"id": id, "done": total, "total": total, "finished": True})


def _outcome(cell: Mapping[str, Any]) -> str:
    return f"not finished, {cell['failed']}" if "failed" in cell else f"{cell['quality']:.3f}"


@contextmanager
def _temporary_files_in(folder: str) -> Iterator[None]:
    """Put temporary files where they are removed with the lab, since a stopped job is killed and removes none."""
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield
    finally:
        tempfile.tempdir = before


def _scratch(lab: Lab) -> str:
    """The folder for temporary files of the page's jobs, which is removed with the lab."""

    def make() -> str:
        folder = str(make_scratch("lab-arena"))
        weakref.finalize(lab, shutil.rmtree, folder, ignore_errors=True)
        return folder

    return lab.cached("arena/scratch", make)


def job_kinds(budgets: Budgets) -> dict[str, JobKind]:
    """Return the job that runs an arena with one of these budgets."""
    return {"arena": JobKind(run=run_live, read=partial(_read, budgets), arrays=lambda *_, **__: {})}


def _read(budgets: Budgets, lab: Lab, query: Query) -> Mapping[str, Any]:
    """`budget`, `seeds`, `scale`: those of the page."""
    options = options_of(budgets, query)
    if message := missing_extra():
        raise MissingExtraError(message)
    return {"output": str(output_folder(options)), "options": options, "scratch": _scratch(lab)}

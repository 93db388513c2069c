"""The routes of the Arena page: saved results, single cells, and what a run would be.

The parameter `at` has no effect: the page changes it to request again when a result has more to read.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from rowspace.errors import FileFormatError, UsageError
from rowspace_lab.experiments import ArenaOptions, read_arena
from rowspace_lab.experiments.arena.runs.saved import RESULTS_NAME
from rowspace_lab.experiments.arena.strategies import STRATEGIES, TASKS
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.arena import figures
from rowspace_lab.pages.arena.replies import ArenaCellReply, ArenaReply, ArenasReply, PlanReply
from rowspace_lab.pages.arena.runs import Budgets, missing_extra, options_of, output_folder
from rowspace_lab.pages.arena.saved import (
    ArenaFolder,
    arena_folders,
    arena_id,
    count_saved_runs,
    find_arena,
    saved_arena,
)
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["routes"]

_Fields = TypeVar("_Fields")
# Not shown, or shown in another way; "field" is the name of "column" in arenas of earlier versions.
_SAME = ("strategies", "tasks", "workers", "column", "field", "quick")


def routes(budgets: Budgets) -> Mapping[str, Handler]:
    """Return the routes of the page with these budgets."""
    return {
        "arena/results": arenas,
        "arena/plan": partial(plan, budgets),
        "arena/result": result,
        "arena/cell": cell,
    }


def arenas(_: Lab, __: Query) -> ArenasReply:
    """The saved arenas."""
    return {
        "saved": [saved_arena(folder) for folder in arena_folders()],
        "strategies": list(STRATEGIES),
        "tasks": list(TASKS),
        "missing": missing_extra(),
    }


def plan(budgets: Budgets, _: Lab, query: Query) -> PlanReply:
    """`budget`, `seeds`, `scale` → the arena that they describe."""
    options = options_of(budgets, query)
    chosen, folder = ArenaOptions(**options), output_folder(options)
    runs, saved = chosen.num_runs, count_saved_runs(folder, chosen.num_seeds)
    return {
        "id": arena_id(folder),
        "runs": runs,
        "saved": saved,
        "seconds": max(0, runs - saved) * chosen.budget / chosen.runs_at_once,
        "cores": chosen.runs_at_once,
        "code": f"from rowspace_lab.experiments import run_arena\n\narena = {_call(options)}",
    }


def result(lab: Lab, query: Query) -> ArenaReply:
    """`id` → a saved arena."""
    folder = _folder(query)
    figure = partial(figures.arena_figure, folder=str(folder.path))
    return {**_checked(folder, figure), "code": _how_it_was_made(folder) + shown(lab, figure)}


def cell(lab: Lab, query: Query) -> ArenaCellReply:
    """`id`, `task`, `strategy` → a cell of a saved arena."""
    folder = _folder(query)
    task, strategy = query.choice("task", TASKS), query.choice("strategy", tuple(STRATEGIES))
    entries = _checked(folder, partial(read_arena, folder.path))["entries"]
    if (task, strategy) not in [(entry["task"], entry["strategy"]) for entry in entries]:
        raise UsageError(f"this arena has no runs of {strategy} on {task}; choose a cell of its table")
    figure = partial(figures.cell_figure, folder=str(folder.path), task=task, strategy=strategy)
    return {**_checked(folder, figure), "code": shown(lab, figure)}


def _folder(query: Query) -> ArenaFolder:
    """The requested folder, by default the newest one."""
    if id := query.text("id", ""):
        return find_arena(id)
    return arena_folders()[0]


def _checked(folder: ArenaFolder, figure: Callable[[], _Fields]) -> _Fields:
    """Call a figure; a file that lacks what it should have is damaged."""
    try:
        return figure()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFormatError(f"{folder.path / RESULTS_NAME}: is damaged; run the arena again") from error


def _how_it_was_made(folder: ArenaFolder) -> str:
    """The call that made a result, as comments, since it takes a while."""
    document = read_arena(folder.path)
    settings, default = document["settings"], ArenaOptions(quick=document["settings"]["quick"])
    same = default.settings()
    options: dict[str, Any] = {"quick": True} if default.quick else {}
    options |= {name: value for name, value in settings.items() if name not in _SAME and value != same[name]}
    if document["seeds"] != default.num_seeds:
        options["seeds"] = document["seeds"]
    for name, every in (("tasks", TASKS), ("strategies", tuple(STRATEGIES))):
        if list(document[name]) != list(every):
            options[name] = list(document[name])
    knows_call = folder.is_own or folder.is_shipped
    output = {} if knows_call else {"output": folder.path.name or "."}
    text = "" if knows_call else ", and its text if one was given"
    return f"# the call that made this result{text}: {_call(output | options)}\n\n"


def _call(options: Mapping[str, Any]) -> str:
    return f"run_arena({', '.join(f'{name}={value!r}' for name, value in options.items())})"

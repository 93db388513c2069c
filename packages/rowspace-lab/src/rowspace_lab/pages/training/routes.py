"""The routes of the Training page: curves, snapshots, updates and single rows of a run, also while it is trained.

The parameter `at` has no effect: the page changes it to request again when a run has more to read.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from rowspace.errors import UsageError
from rowspace_lab.experiments import Events
from rowspace_lab.experiments.language_model.telemetry.events import NAME
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.training import figures, gradients
from rowspace_lab.pages.training.replies import (
    BothSidesReply,
    CurvesReply,
    MaskChangesReply,
    MovedReply,
    OwnRunReply,
    SnapshotsReply,
    TrainedRowReply,
    UpdatesReply,
    WithoutGradientReply,
)
from rowspace_lab.pages.training.runs import OWN, ROWS_SHOWN, run_path
from rowspace_lab.pages.training.variants import reads_sentences
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

POINTS = 400  # of a curve
MAX_STEPS = 10**9


def own(lab: Lab, _: Query) -> OwnRunReply:
    """How far the run is that `rowspace lab RUN` has opened."""
    if not Path(lab.path, NAME).is_file():
        return {"run": None}
    with Events(lab.path) as events:
        steps = events.steps()["step"]
        return {"run": {"step": int(steps.max(initial=0)), "steps": events.header["training"]["steps"]}}


def curves(lab: Lab, query: Query) -> CurvesReply:
    """`run` → the curves of loss, held-out bits per byte, and norms."""
    figure = partial(figures.curves_figure, run=_run(lab, query), points=POINTS)
    return {**figure(), "code": shown(lab, figure)}


def snapshots(lab: Lab, query: Query) -> SnapshotsReply:
    """`run` → the map of the sampled rows at each recorded step, and the rows of the most frequent tokens."""
    run, by_kind = _run(lab, query), reads_sentences(query.text("run", ""))
    figure = partial(figures.snapshots_figure, run=run, shown=ROWS_SHOWN, by_kind=by_kind)
    return {**figure(), "code": shown(lab, figure)}


def updates(lab: Lab, query: Query) -> UpdatesReply:
    """`run`, `step` → updates and distances of all rows at the last record until that step."""
    run, by_kind = _run(lab, query), reads_sentences(query.text("run", ""))
    with Events(run) as events:
        step = _recorded(events.row_steps(), query)
    figure = partial(figures.updates_figure, run=run, step=step, by_kind=by_kind)
    return {**figure(), "code": shown(lab, figure)}


def row(lab: Lab, query: Query) -> TrainedRowReply:
    """`run`, `id`, `step`, `k` → a sampled row then and now, its neighbors and its gradients."""
    run = _run(lab, query)
    with Events(run) as events:
        step = _recorded(events.snapshot_steps(), query)
        ids = events.snapshot(step)["ids"].tolist()
        id = query.integer("id", ids[0], low=0, high=events.header["num_embeddings"] - 1)
    if id not in ids:
        raise UsageError(f"id {id} is not in the run's snapshots; choose one of the {len(ids)} tokens on the map")
    figure = partial(figures.row_figure, run=run, id=id, step=step, k=query.integer("k", 8, low=1, high=50))
    return {**figure(), "code": shown(lab, figure)}


def both_sides(lab: Lab, query: Query) -> BothSidesReply:
    """`run`, `ids` → the gradients, moments and steps of watched rows from the input and from the head."""
    run = _run(lab, query)
    with Events(run) as events:
        watched = events.snapshot(events.snapshot_steps()[0])["ids"][: len(events.header["watched"])].tolist()
    if not watched:
        raise UsageError("the run watches no tokens; train it with --watch TOKEN, once for each")
    ids = query.integers("ids", watched[:3], low=0, high=2**31 - 1, limit=len(watched))
    if unknown := [id for id in ids if id not in watched]:
        raise UsageError(f"id {unknown[0]} is not watched; the gradients of {watched} are summed")
    figure = partial(gradients.both_sides_figure, run=run, ids=ids)
    return {**figure(), "code": shown(lab, figure)}


def without_gradient(lab: Lab, query: Query) -> WithoutGradientReply:
    """`run`, `step`, `k` → how many rows move with and without a gradient, and those without that move most."""
    run = _run(lab, query)
    with Events(run) as events:
        step = _recorded(events.row_steps(), query)
    k = query.integer("k", 8, low=1, high=100)
    figure = partial(gradients.without_gradient_figure, run=run, step=step, k=k)
    return {**figure(), "code": shown(lab, figure)}


def moved(lab: Lab, query: Query) -> MovedReply:
    """`run`, `other`, `k` → the sampled rows that differ most between two runs."""
    run, other = _run(lab, query), run_path(lab, query.text("other", "word"))
    with Events(run) as events, Events(other) as others:
        if events.header["model"]["dim"] != others.header["model"]["dim"]:
            raise UsageError("rows of different widths cannot be compared; choose runs with the same dim")
    figure = partial(figures.moved_figure, run=run, other=other, k=query.integer("k", 12, low=1, high=100))
    return {**figure(), "code": shown(lab, figure)}


@needs_torch
def order(lab: Lab, query: Query) -> MaskChangesReply:
    """`run` → how much a prediction of its last checkpoint changes with the order of the tokens."""
    from rowspace_lab.pages.training.order import order_figure  # imports PyTorch

    figure = partial(order_figure, run=_run(lab, query), length=6)
    return {**figure(), "code": shown(lab, figure)}


def _run(lab: Lab, query: Query) -> str:
    """The folder of the requested run: by default the lab's own, or the page's first."""
    return run_path(lab, query.text("run", OWN if Path(lab.path, NAME).is_file() else "base"))


def _recorded(steps: Sequence[int], query: Query) -> int:
    """The last recorded step that is not after the requested one; else the first."""
    requested = query.integer("step", MAX_STEPS, low=0, high=MAX_STEPS)
    if not steps:
        raise UsageError("the run has not recorded its rows yet; wait for its first steps")
    return max((step for step in steps if step <= requested), default=steps[0])


ROUTES: Mapping[str, Handler] = {
    "training/own": own,
    "training/curves": curves,
    "training/snapshots": snapshots,
    "training/updates": updates,
    "training/row": row,
    "training/both-sides": both_sides,
    "training/without-gradient": without_gradient,
    "training/moved": moved,
    "training/order": order,
}

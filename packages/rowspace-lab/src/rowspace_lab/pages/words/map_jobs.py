"""Jobs that compute maps with t-SNE and UMAP, which take minutes, and the neighbor search that they share.

If the table has more than 20,000 rows, a sample of that size is mapped, and each other row is placed next to its
nearest mapped row.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.plural import plural
from rowspace_lab.experiments import place_others
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.words.figures import measure_map, tsne_figure, umap_figure
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.shared.figure import shown

__all__ = ["JOB_KINDS"]

MAX_ROWS = 20_000
WIDTHS = (90, 300)  # numbers of neighbors; with only two, most maps can share a search
PAUSE = 0.3  # minimum seconds between frames
Array = NDArray[Any]
Updates = Iterator[Progress | Reply]


def neighbors(rows: Array, *, k: int, sample: int | None) -> Updates:
    """Find the k nearest neighbors of each row, or of each row in the sample, with `space.map_neighbors`."""
    found: list[space.MapNeighbors] = []

    def work(report: Callable[[tuple[int, int]], None]) -> None:
        found.append(space.map_neighbors(rows, k, sample=sample, on_rows=lambda *counts: report(counts)))

    for done, size in iterate_callbacks(work):
        yield Progress(done / size, f"{done:,} of {plural(size, 'row')} searched for neighbors")
    yield Reply({}, mapped=found[0].ids, neighbors=found[0].neighbors, distances=found[0].distances)


def tsne(
    rows: Array, mapped: Array, neighbors: Array, distances: Array, *, perplexity: int, sample: int | None, code: str
) -> Updates:
    """Yield the frames of `space.tsne` for `rows` (V, d), given the neighbors of the `mapped` rows (n,)."""
    found = space.MapNeighbors(mapped, neighbors.astype(np.int64), distances)
    return _frames(
        lambda report: space.tsne(rows, perplexity=perplexity, sample=sample, neighbors=found, on_frame=report),
        rows, found.ids, code,
    )  # fmt: skip


def umap(
    rows: Array, mapped: Array, neighbors: Array, distances: Array, *, num_neighbors: int, sample: int | None, code: str
) -> Updates:
    """Yield the frames of `space.umap`, like `tsne`."""
    found = space.MapNeighbors(mapped, neighbors.astype(np.int64), distances)
    return _frames(
        lambda report: space.umap(rows, num_neighbors=num_neighbors, sample=sample, neighbors=found, on_frame=report),
        rows, found.ids, code,
    )  # fmt: skip


def _frames(make: Callable[[space.OnFrame], Array], rows: Array, ids: Array, code: str) -> Updates:
    """Yield each frame with its progress, then the map of all rows with the share of neighbors that it preserves."""
    yield Progress(0, f"step 0, {plural(len(ids), 'row')}")
    for step, steps, positions in _throttled_frames(make):
        if step < steps:
            yield Progress(0.9 * step / steps, f"step {step} of {steps}")
            yield Reply({"step": step, "steps": steps}, positions=positions[ids], ids=ids)
    others: list[Array] = [positions]

    def place(report: Callable[[tuple[int, int]], None]) -> None:
        others.append(place_others(rows, others[0], on_rows=lambda *counts: report(counts)))

    for done, size in iterate_callbacks(place):
        yield Progress(0.9 + 0.05 * done / size, f"{done:,} of {plural(size, 'other row')} placed")
    positions = others[-1]
    yield Progress(0.95, f"counting the neighbors kept after {steps} steps")
    placed = np.isfinite(positions).all(1).sum()
    frame = {"step": steps, "steps": steps, "mapped": len(ids), "placed": int(placed) - len(ids)}
    yield Reply({**frame, **measure_map(rows, positions), "ids": np.arange(len(rows)), "code": code})


def _throttled_frames(make: Callable[[space.OnFrame], Array]) -> Iterator[tuple[int, int, Array]]:
    """Yield the frames of `make` at most every `PAUSE` seconds, and always the last one."""

    def work(report: Callable[[tuple[int, int, Array]], None]) -> None:
        make(lambda *frame: report(frame))

    last = 0.0
    for frame in iterate_callbacks(work):
        if frame[0] == frame[1] or time.monotonic() - last > PAUSE:
            yield frame
            last = time.monotonic()


def _arrays(lab: Lab, **_: Any) -> Mapping[str, Array]:
    return {"rows": lab.table.rows}


def _sample(lab: Lab) -> int | None:
    """Return the size of the sample, or None to map all rows."""
    return MAX_ROWS if len(lab.table) > MAX_ROWS else None


def _needed(k: int, sample: int | None) -> tuple[str, Mapping[str, Any]]:
    """Return the neighbor search with at least k neighbors, rounded up so that maps can share it."""
    return "neighbors", {"k": next(width for width in WIDTHS if width >= k), "sample": sample}


def _read_tsne(lab: Lab, query: Query) -> Mapping[str, Any]:
    figure = partial(tsne_figure, perplexity=query.integer("perplexity", 30, low=2, high=100), sample=_sample(lab))
    return {**figure.keywords, "code": shown(lab, figure)}


def _read_umap(lab: Lab, query: Query) -> Mapping[str, Any]:
    neighbors = query.integer("num_neighbors", 15, low=2, high=100)
    figure = partial(umap_figure, num_neighbors=neighbors, sample=_sample(lab))
    return {**figure.keywords, "code": shown(lab, figure)}


def _read_neighbors(lab: Lab, query: Query) -> Mapping[str, Any]:
    return _needed(query.integer("k", WIDTHS[0], low=1, high=WIDTHS[-1]), _sample(lab))[1]


JOB_KINDS = {
    "neighbors": JobKind(run=neighbors, read=_read_neighbors, arrays=_arrays),
    "tsne": JobKind(
        run=tsne,
        read=_read_tsne,
        arrays=_arrays,
        needs=lambda _, perplexity, sample, **__: _needed(3 * perplexity, sample),
    ),
    "umap": JobKind(
        run=umap,
        read=_read_umap,
        arrays=_arrays,
        needs=lambda _, num_neighbors, sample, **__: _needed(num_neighbors, sample),
    ),
}
"""Started by `POST /api/jobs` with the kind and the parameters that its `_read_…` reads."""

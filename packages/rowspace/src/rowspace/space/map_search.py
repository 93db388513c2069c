"""The nearest neighbors that t-SNE and UMAP start from, and the share of them that a map preserves.

They are searched once, exactly, for all rows or for a sample. Rows are compared by the Euclidean distance between unit
rows, whose order is that of the cosines.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.neighbors import nearest, validate_k
from rowspace.space.pca import finite_rows
from rowspace.space.similarity import Metric, row_norms, unit_rows

__all__ = [
    "MIN_ROWS",
    "MapNeighbors",
    "NeighborhoodPreservation",
    "OnRows",
    "map_neighbors",
    "map_units",
    "neighborhood_preservation",
]

Rows = NDArray[np.floating[Any]]
OnRows = Callable[[int, int], None]
"""Called with the number of completed rows and the total."""

MIN_ROWS = 8
"""Fewer rows than this have no neighborhoods to keep."""
AT_ONCE = 1024
"""Queries per search; progress is reported between searches."""


class MapNeighbors(NamedTuple):
    """Rows, and the nearest of each among them."""

    ids: NDArray[np.int64]
    """(n,) the ids of the rows, ascending."""
    neighbors: NDArray[np.int64]
    """(n, k) indices into `ids`, the nearest first; a row is not its own neighbor."""
    distances: NDArray[np.float32]
    """(n, k) Euclidean distances between unit rows."""


def map_neighbors(
    rows: Rows, k: int, *, sample: int | None = None, seed: int = 0, on_rows: OnRows | None = None
) -> MapNeighbors:
    """Return the k nearest of each of the finite `rows` (V, d), or of a `sample` of them, drawn with `seed`.

    Args:
        rows: (V, d) floats.
        k: the number of neighbors, at most the number of rows - 1; a smaller k gives the first columns.
        sample: search only among a sample of that many rows.
        seed: seed of the sample.
        on_rows: called during the search.

    Raises:
        UsageError: d = 1, or fewer than 8 finite rows.

    >>> rows = np.random.default_rng(0).normal(size=(9, 3))
    >>> map_neighbors(rows, 2).neighbors.shape
    (9, 2)
    """
    ids, units = map_units(rows, sample, seed)
    k = min(validate_k(k), len(ids) - 1)
    norms = row_norms(units)
    neighbors, distances = np.empty((len(ids), k), np.int64), np.empty((len(ids), k), np.float32)
    for start in range(0, len(ids), AT_ONCE):
        span = slice(start, min(start + AT_ONCE, len(ids)))
        itself = np.arange(span.start, span.stop)[:, np.newaxis]
        found = nearest(units[span], units, k, metric="euclidean", exclude=itself, row_norms=norms)
        neighbors[span], distances[span] = found
        if on_rows is not None:
            on_rows(span.stop, len(ids))
    return MapNeighbors(ids, neighbors, distances)


def map_units(rows: Rows, sample: int | None, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the ids of the finite rows, or of a sample of them, and those rows scaled to length 1, float32."""
    if sample is not None and sample < MIN_ROWS:
        raise UsageError(f"sample must be {MIN_ROWS} or more, got {sample}")
    ids = np.flatnonzero(finite_rows(rows))
    if len(ids) < MIN_ROWS or rows.shape[1] < 2:
        raise UsageError(
            f"a map of neighborhoods needs {MIN_ROWS} rows of 2 numbers or more, got {len(ids)} of {rows.shape[1]}; "
            "pca maps any rows"
        )
    if sample is not None and len(ids) > sample:
        ids = np.sort(np.random.default_rng(seed).permutation(ids)[:sample])
    return ids, unit_rows(rows[ids]).astype(np.float32)


class NeighborhoodPreservation(NamedTuple):
    """The share of neighbors that a map preserves, and how it was measured."""

    share: float
    """From 0 to 1: the mean, over the queried rows, of the share of their k neighbors that the map preserves."""
    by_chance: float
    """What a random map would preserve: k / (number of rows - 1)."""
    sample: NDArray[np.int64]
    """The ids of the queried rows, ascending."""
    k: int
    """The number of neighbors of each."""


def neighborhood_preservation(
    rows: NDArray[np.floating[Any]],
    positions: NDArray[np.floating[Any]],
    k: int = 10,
    *,
    sample: int = 500,
    metric: Metric = "cosine",
    seed: int = 0,
) -> NeighborhoodPreservation:
    """Return the share of rows' k nearest in `rows` (V, d) that are among their k nearest in `positions` (V, 2).

    Both searches are exact: by `metric` among all rows, and by Euclidean distance on the map. Rows and positions that
    are not finite are skipped.

    Args:
        rows: (V, d).
        positions: (V, 2), or of any other width.
        k: the number of neighbors, at most V - 1.
        sample: the maximum number of queried rows, drawn with `seed`.
        metric: "cosine", "dot" or "euclidean".
        seed: seed of the sample.

    Raises:
        UsageError: fewer than two rows are finite, or `sample` is below 1.

    >>> line = np.arange(20.0)[:, np.newaxis]
    >>> neighborhood_preservation(line, line * 3 + 1, k=4, metric="euclidean").share
    1.0
    """
    if len(rows) != len(positions):
        raise UsageError(f"rows and positions must have the same length, got {len(rows)} and {len(positions)}")
    if sample < 1:
        raise UsageError(f"sample must be 1 or more, got {sample}")
    finite = finite_rows(rows) & finite_rows(positions)
    ids = np.flatnonzero(finite)
    if len(ids) < 2:
        raise UsageError(
            f"at least two rows with finite values and positions are needed, but {len(ids)} can be compared"
        )
    if len(ids) < len(rows):
        rows, positions = rows[ids], positions[ids]
    k = min(validate_k(k), len(ids) - 1)
    sampled = np.sort(np.random.default_rng(seed).permutation(len(ids))[:sample])
    by_rows, _ = nearest(rows[sampled], rows, k, metric=metric, exclude=sampled[:, np.newaxis])
    on_map, _ = nearest(positions[sampled], positions, k, metric="euclidean", exclude=sampled[:, np.newaxis])
    kept = (by_rows[:, :, np.newaxis] == on_map[:, np.newaxis]).any(2)
    return NeighborhoodPreservation(float(kept.mean()), k / (len(ids) - 1), ids[sampled], k)

"""How far a map can be trusted: what share of the rows' nearest neighbors are neighbors on it too.

A map of many dimensions in two must tear some neighbors apart; this says how many. Read next: `maps.py`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.neighbors import checked_k, nearest
from rowspace.space.projection import finite_rows
from rowspace.space.similarity import Metric

__all__ = ["NeighborsKept", "neighbors_kept"]


class NeighborsKept(NamedTuple):
    """The share of neighbors that a map keeps, and what it was measured on."""

    share: float
    """From 0 to 1: the mean, over the rows asked, of the share of their k neighbors that a map keeps."""
    by_chance: float
    """What a map drawn at random would keep: k / (number of rows - 1)."""
    sample: NDArray[np.int64]
    """The ids of the rows asked, rising."""
    k: int
    """How many neighbors each was asked for."""


def neighbors_kept(
    rows: NDArray[np.floating[Any]],
    positions: NDArray[np.floating[Any]],
    k: int = 10,
    *,
    sample: int = 500,
    metric: Metric = "cosine",
    seed: int = 0,
) -> NeighborsKept:
    """Return the share of rows' k nearest in `rows` (V, d) that are among their k nearest in `positions` (V, 2).

    Neighbors are exact on both sides: by `metric` among all the rows, by Euclidean distance on the map. They are
    asked for `sample` rows drawn with `seed`, or for all where there are no more. Rows or positions that are not finite
    are left out, and k is V - 1 at most. Raises `UsageError` where fewer than two rows are left,
    and for a `sample` below 1.

    >>> line = np.arange(20.0)[:, np.newaxis]
    >>> neighbors_kept(line, line * 3 + 1, k=4, metric="euclidean").share
    1.0
    """
    if len(rows) != len(positions):
        raise UsageError(f"rows and positions must be as many, got {len(rows)} and {len(positions)}")
    if sample < 1:
        raise UsageError(f"sample must be 1 or more, got {sample}")
    finite = finite_rows(rows) & finite_rows(positions)
    ids = np.flatnonzero(finite)
    if len(ids) < 2:
        raise UsageError(f"neighbors are kept among two rows or more, but {len(ids)} can be compared")
    if len(ids) < len(rows):
        rows, positions = rows[ids], positions[ids]
    k = min(checked_k(k), len(ids) - 1)
    asked = np.sort(np.random.default_rng(seed).permutation(len(ids))[:sample])
    there, _ = nearest(rows[asked], rows, k, metric=metric, exclude=asked[:, np.newaxis])
    here, _ = nearest(positions[asked], positions, k, metric="euclidean", exclude=asked[:, np.newaxis])
    kept = (there[:, :, np.newaxis] == here[:, np.newaxis]).any(2)
    return NeighborsKept(float(kept.mean()), k / (len(ids) - 1), ids[asked], k)

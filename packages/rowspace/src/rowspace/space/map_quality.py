"""The quality of a map: the share of the rows' nearest neighbors that are also neighbors on the map."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.neighbors import nearest, validate_k
from rowspace.space.pca import finite_rows
from rowspace.space.similarity import Metric

__all__ = ["NeighborhoodPreservation", "neighborhood_preservation"]


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

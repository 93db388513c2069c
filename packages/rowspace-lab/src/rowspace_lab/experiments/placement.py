"""Positions for rows that were left out of a map: each is placed next to its nearest mapped row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.map_search import AT_ONCE, OnRows
from rowspace.space.neighbors import nearest
from rowspace.space.pca import finite_rows
from rowspace.space.similarity import row_norms

__all__ = ["place_others"]

SPREAD = 0.25
"""The distance of a placed row from its neighbor, relative to the median distance between neighbors on the map."""


def place_others(
    rows: NDArray[np.floating[Any]],
    positions: NDArray[np.floating[Any]],
    *,
    seed: int = 0,
    on_rows: OnRows | None = None,
) -> NDArray[np.float32]:
    """Return `positions` (V, 2) with each finite row (V, d) at NaN placed next to its nearest mapped row.

    The search is exact, by cosine. The offset is random, a quarter of the median distance between a mapped row and its
    nearest neighbor on the map: this preserves more neighbors than means or medians over several mapped rows. Mapped
    rows are not moved.

    Args:
        rows: (V, d) floats.
        positions: (V, 2), NaN for rows to place.
        seed: seed of the offsets.
        on_rows: called during the search.

    Raises:
        UsageError: no row is mapped.

    >>> rows = np.array([[1, 0], [0, 1], [0.1, 2]])
    >>> place_others(rows, np.array([[0.0, 0], [80, 80], [np.nan, np.nan]]))[2].round(-1)
    array([80., 80.], dtype=float32)
    """
    placed = np.array(positions, np.float32)
    mapped = np.flatnonzero(np.isfinite(placed).all(1))
    others = np.flatnonzero(finite_rows(rows) & ~np.isfinite(placed).all(1))
    if not len(mapped):
        raise UsageError("no row has a position, so none can be placed next to it")
    known, norms = rows[mapped], row_norms(rows[mapped])
    offsets = np.random.default_rng(seed).normal(size=(len(others), 2)) * (SPREAD * _usual_distance(placed[mapped]))
    for start in range(0, len(others), AT_ONCE):
        ids = others[start : start + AT_ONCE]
        nearest_mapped, _ = nearest(rows[ids], known, 1, row_norms=norms)
        placed[ids] = placed[mapped[nearest_mapped[:, 0]]] + offsets[start : start + AT_ONCE]
        if on_rows is not None:
            on_rows(start + len(ids), len(others))
    return placed


def _usual_distance(positions: NDArray[np.float32]) -> float:
    """Return the median distance between a position and its nearest, over at most 1000 positions."""
    if len(positions) < 2:
        return 0.0
    sampled = np.linspace(0, len(positions), min(1000, len(positions)), endpoint=False).astype(np.int64)
    _, distances = nearest(positions[sampled], positions, 1, metric="euclidean", exclude=sampled[:, np.newaxis])
    return float(np.median(distances))

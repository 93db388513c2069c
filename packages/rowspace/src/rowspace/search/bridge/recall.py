"""How many of the nearest passages a map keeps, with the interval of that share."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["bootstrap_interval", "recall_of_each"]

Floats = NDArray[np.float32]

NEIGHBORS = 10
_TIE = 1e-6  # cosines nearer to each other than this are equal
_RESAMPLES = 1_000


def recall_of_each(
    blocks: Iterable[Floats], rows: NDArray[np.int64], queries: Floats, mapped: Floats, k: int = NEIGHBORS
) -> NDArray[np.float64]:
    """Return for each query the share of its k nearest passages that the mapped query has among its own k nearest.

    A passage that is as near as the k-th nearest counts, so that copies of a passage do not lower the share. Memory
    grows with the size of a block.

    Args:
        blocks: The unit vectors of all passages in order, (m, d) each.
        rows: (n,) the passage that each query is itself, which is not its own neighbor; -1 for none.
        queries: (n, d) unit vectors.
        mapped: (n, d) unit vectors.
        k: The number of neighbors.

    Returns:
        (n,) shares.

    >>> passages = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)
    >>> recall_of_each([passages], np.array([0]), passages[:1], passages[1:2], k=1)
    array([1.])
    >>> recall_of_each([passages], np.array([0]), passages[:1], passages[3:], k=1)
    array([0.])
    """
    number = len(queries)
    nearest = np.full((number, k), -np.inf, np.float32)  # the similarities of the best passages
    keys, found = nearest.copy(), nearest.copy()  # the same of the mapped query, and of the query to these passages
    start = 0
    for block in blocks:
        exact, reached = queries @ block.T, mapped @ block.T
        own = np.flatnonzero((rows >= start) & (rows < start + len(block)))
        exact[own, rows[own] - start] = reached[own, rows[own] - start] = -np.inf
        nearest = -np.partition(-np.hstack([nearest, exact]), k - 1, axis=1)[:, :k]
        keys, found = np.hstack([keys, reached]), np.hstack([found, exact])
        best = np.argpartition(-keys, k - 1, axis=1)[:, :k]
        keys, found = np.take_along_axis(keys, best, axis=1), np.take_along_axis(found, best, axis=1)
        start += len(block)
    least = nearest.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = ((found >= least - _TIE) & (found > -np.inf)).mean(axis=1)
    return shares


def bootstrap_interval(shares: NDArray[np.float64], *, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean of shares: percentiles of means of samples with replacement.

    >>> bootstrap_interval(np.array([0.5, 0.5]))
    (0.5, 0.5)
    """
    generator = np.random.default_rng(seed)
    number = len(shares)
    means = [shares[generator.integers(0, number, number)].mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)

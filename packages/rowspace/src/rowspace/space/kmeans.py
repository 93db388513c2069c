"""k-means on directions: rows in k groups by the angle between them.

scikit-learn's mini-batch k-means finds the centers; each row is then assigned to the center with the largest cosine.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import array_imports
from rowspace.errors import MissingExtraError, UsageError
from rowspace.space.similarity import BLOCK_BYTES, row_norms, unit_rows

__all__ = ["LEARNED_FROM", "Clusters", "euclidean_centers", "k_means"]

LEARNED_FROM = 50_000
"""The maximum number of rows that centers are learned from; more do not improve them. All rows are assigned."""


class Clusters(NamedTuple):
    """The group of each row, and the centers of the groups."""

    labels: NDArray[np.int32]
    """(V,) from 0, the largest group first; -1 for a row with NaN, infinity or no length, which has no direction."""
    centers: NDArray[np.float64]
    """(k, d) unit rows."""


def k_means(rows: NDArray[np.floating[Any]], k: int, *, seed: int = 0) -> Clusters:
    """Return `rows` (V, d) in k groups by direction.

    Centers are learned from all rows, or from a sample of 50,000 drawn with `seed`. If rows have fewer than k
    directions, fewer groups are returned.

    Raises:
        UsageError: k is below 1, or no row has a direction.
        MissingExtraError: scikit-learn is not installed.

    >>> k_means(np.array([[1.0, 0.1], [0.1, 5.0], [3.0, 0.0], [9.0, 0.4]]), 2).labels
    array([0, 1, 0, 0], dtype=int32)
    """
    return cluster_directions(rows, k, seed=seed)


def euclidean_centers(points: NDArray[np.floating[Any]], k: int, *, seed: int = 0) -> NDArray[np.float64]:
    """Return at most k centers of `points` (n, d) by Euclidean distance, (k, d).

    Raises:
        MissingExtraError: scikit-learn is not installed.

    >>> euclidean_centers(np.array([[1.0], [1.0], [5.0]]), 2)
    array([[1.],
           [5.]])
    """
    return _learned_centers(points.astype(np.float64), k, seed)


def cluster_directions(
    rows: NDArray[np.floating[Any]],
    k: int,
    *,
    seed: int,
    learned_from: int = LEARNED_FROM,
    block_bytes: int = BLOCK_BYTES,
) -> Clusters:
    """Return the result of `k_means`, with centers from `learned_from` rows and labels computed in blocks."""
    if k < 1:
        raise UsageError(f"k must be at least 1, got {k}")
    norms = row_norms(rows)
    directed = np.flatnonzero(np.isfinite(norms) & (norms > 0))
    if not len(directed):
        raise UsageError("no row has a direction: all are zero, NaN or infinite; repair the table first")
    drawn = np.sort(np.random.default_rng(seed).permutation(directed)[:learned_from])
    centers = _centers(unit_rows(rows[drawn]), k, seed)
    labels = np.full(len(rows), -1, np.int32)
    step = max(1, block_bytes // (8 * (rows.shape[1] + len(centers))))
    for start in range(0, len(directed), step):
        block = directed[start : start + step]
        labels[block] = (unit_rows(rows[block]) @ centers.T).argmax(1)
    return _largest_first(labels, centers)


def _centers(units: NDArray[np.float64], k: int, seed: int) -> NDArray[np.float64]:
    """Return the centers that scikit-learn finds among unit rows, scaled to length 1."""
    return unit_rows(_learned_centers(units, k, seed))


def _learned_centers(points: NDArray[np.float64], k: int, seed: int) -> NDArray[np.float64]:
    """Return the centers that scikit-learn finds, or the distinct points if there are no more than k."""
    try:
        with array_imports:
            from sklearn.cluster import MiniBatchKMeans  # an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError("k_means needs scikit-learn: pip install 'rowspace[analysis]'") from error
    different = np.unique(points, axis=0) if len(points) <= 10 * k else points
    if len(different) <= k:
        return different
    found = MiniBatchKMeans(k, random_state=seed, n_init=3, reassignment_ratio=0).fit(points).cluster_centers_
    return np.asarray(found)


def _largest_first(labels: NDArray[np.int32], centers: NDArray[np.float64]) -> Clusters:
    """Return the groups that are not empty, numbered by decreasing size."""
    sizes = np.bincount(labels[labels >= 0], minlength=len(centers))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    numbers = np.full(len(centers) + 1, -1, np.int32)  # the last one is for label -1
    numbers[order] = np.arange(len(order))
    return Clusters(numbers[labels], centers[order])

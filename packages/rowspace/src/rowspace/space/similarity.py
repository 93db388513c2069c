"""Dot product, cosine and Euclidean distance of single vectors and of matrices.

All three are computed in float64 for any dtype. The search for the nearest of many rows is in `neighbors.py`, since it
must not build the full (n, V) matrix.
"""

from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rowspace.errors import UsageError

__all__ = ["METRICS", "Metric", "cosine", "dot", "euclidean", "row_norms", "score", "unit_rows"]

Metric = Literal["cosine", "dot", "euclidean"]
"""How two rows are compared; `euclidean` is a distance."""

Scores = NDArray[np.float64]  # a single number is a float64
METRICS: tuple[Metric, ...] = get_args(Metric)

BLOCK_BYTES = 1 << 23
"""The amount converted to float64 at a time, about the size of a processor's caches."""


def dot(a: ArrayLike, b: ArrayLike) -> Scores:
    """Return the dot product: of two vectors a float64, otherwise of each row of `a` with each row of `b`.

    Args:
        a: (d,) or (n, d).
        b: (d,) or (m, d).

    Returns:
        (), (n,), (m,) or (n, m) float64.

    Raises:
        UsageError: the widths differ.

    >>> h = [0.6, 0.1, 0.3]
    >>> rows = [[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]]
    >>> dot(rows, h).round(2)
    array([0.3 , 0.58, 0.24, 0.05])
    """
    left, right = _pair(a, b)
    with np.errstate(invalid="ignore", over="ignore"):  # rows with NaN or infinity have NaN or infinite products
        return left @ right.T


def cosine(a: ArrayLike, b: ArrayLike) -> Scores:
    """Return the cosine of the angle; shapes and errors as for `dot`.

    The cosine of a zero row with any row is 0.

    >>> float(cosine([3, 0], [1, 0]))
    1.0
    >>> cosine([[3, 0], [0, 0]], [1, 0])
    array([1., 0.])
    """
    left, right = _pair(a, b)
    return unit_rows(left) @ unit_rows(right).T


def euclidean(a: ArrayLike, b: ArrayLike) -> Scores:
    """Return the Euclidean distance; shapes and errors as for `dot`. The distance of equal rows is exactly 0.

    >>> cat, dog, the = (0.72, -0.41, 0.15), (0.68, -0.38, 0.22), (-0.12, 0.05, 0.88)
    >>> euclidean(cat, [dog, the]).round(3)
    array([0.086, 1.204])
    """
    left, right = _pair(a, b)
    if left.ndim == 2:
        # Row by row, by differences: expanding the square would lose half of the digits for near pairs.
        return np.stack([_distances(row, right) for row in left]) if len(left) else _nothing_by(right)
    return _distances(left, right)


def score(a: ArrayLike, b: ArrayLike, *, metric: Metric = "cosine") -> Scores:
    """Return `cosine`, `dot` or `euclidean`, by name; raise `UsageError` for another name.

    >>> float(score([3, 0], [1, 0], metric="dot"))
    3.0
    """
    validate_metric(metric)
    return {"cosine": cosine, "dot": dot, "euclidean": euclidean}[metric](a, b)


def row_norms(rows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the Euclidean length of each row of (V, d), (V,) float64.

    Rows are read in blocks, so that a memory map is never copied.

    >>> row_norms(np.array([[3.0, 4.0], [0.0, 0.0]], np.float16))
    array([5., 0.])
    """
    norms = np.empty(len(rows))
    step = max(1, BLOCK_BYTES // (8 * max(1, rows.shape[1])))
    for start in range(0, len(rows), step):
        block = np.asarray(rows[start : start + step], np.float64)
        norms[start : start + step] = _lengths(block)
    return norms


def unit_rows(rows: ArrayLike) -> NDArray[np.float64]:
    """Return rows, or one vector, divided by their length, float64.

    A zero row stays zero; a row with infinity becomes NaN.

    >>> unit_rows([[3, 4], [0, 0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    array = np.asarray(rows, np.float64)
    lengths = _lengths(array)[..., np.newaxis]
    with np.errstate(invalid="ignore"):  # a row with infinity becomes NaN
        return np.divide(array, lengths, out=np.zeros_like(array), where=lengths != 0)


def validate_metric(metric: str) -> None:
    """Raise `UsageError` unless `metric` is one of the three.

    >>> validate_metric("cosine")
    """
    if metric not in METRICS:
        raise UsageError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both sides as float64 arrays of one or two dimensions and equal width."""
    left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if left.ndim not in (1, 2) or right.ndim not in (1, 2) or left.shape[-1] != right.shape[-1]:
        raise UsageError(f"a and b must be (d,) or (n, d) with the same width d, got {left.shape} and {right.shape}")
    return left, right


def _lengths(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length of each row; equal rows have identical lengths at any position."""
    # vecdot sums each row separately, in an order that depends only on its width; a matrix product does not.
    with np.errstate(over="ignore"):  # above 1e153 a length is infinite, which marks such a row
        return cast("NDArray[np.float64]", np.sqrt(np.vecdot(array, array)))


def _distances(vector: NDArray[np.float64], rows: NDArray[np.float64]) -> Scores:
    """Return the distance from one vector to one vector or to each row of a matrix."""
    with np.errstate(invalid="ignore"):  # infinity less infinity is NaN
        return _lengths(rows - vector)


def _nothing_by(right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the empty result of no rows with `right`: (0,) or (0, m)."""
    return np.empty((0, *right.shape[:-1]))

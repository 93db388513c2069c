"""Principal components: the k directions in which rows differ most, and where each row lies along them.

Exact for any number of rows: where V > d, the covariance (d, d) is summed over blocks, so rows may be a memory map.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.similarity import BLOCK_BYTES, row_norms

__all__ = ["Projection", "finite_rows", "pca"]

Rows = NDArray[np.floating[Any]]


class Projection(NamedTuple):
    """Where rows lie, and along what."""

    positions: NDArray[np.float32]
    """(V, k); NaN for a row that holds NaN or infinity, which is left out of all else."""
    components: NDArray[np.float64]
    """(k, d) orthonormal directions, that of the largest variance first."""
    mean: NDArray[np.float64]
    """(d,) the row that lies at the origin."""
    share: NDArray[np.float64]
    """(k,) the share of the rows' whole variance that each direction holds; zeros where all rows are equal."""


def pca(rows: Rows, k: int = 2) -> Projection:
    """Return the first k principal components of `rows` (V, d) and the rows' positions along them.

    A component's sign is such that its largest entry, by size, is positive (the lowest of equals decides), as
    scikit-learn's `PCA` has it.

    Raises:
        UsageError: k is not from 1 to d, or no row is finite.

    >>> found = pca(np.array([[0.0, 1.0], [3.0, 5.0], [6.0, 9.0]]))
    >>> found.positions.round(3) + 0  # no -0.0
    array([[-5.,  0.],
           [ 0.,  0.],
           [ 5.,  0.]], dtype=float32)
    >>> found.share.round(3)
    array([1., 0.])
    """
    _check(rows, k)
    finite = finite_rows(rows)
    if not finite.any():
        raise UsageError("every row has NaN or infinity, so none can be projected; repair the table first")
    mean = sum((block.sum(0) for _, block in _blocks(rows, finite)), np.zeros(rows.shape[1])) / finite.sum()
    find = _axes_of_few if k <= finite.sum() <= rows.shape[1] else _axes_of_many
    variances, directions = find(rows, finite, mean)
    components = _signed(directions[:k])
    positions = np.full((len(rows), k), np.nan, np.float32)
    for span, block in _blocks(rows, finite):
        positions[span][finite[span]] = (block - mean) @ components.T
    whole = variances.sum()
    share = np.maximum(variances[:k], 0) / whole if whole > 0 else np.zeros(k)
    return Projection(positions, components, mean, share)


def finite_rows(rows: Rows) -> NDArray[np.bool_]:
    """Return which rows (V, d) are finite and, in float64, have no values above 1e153: (V,) bool.

    >>> finite_rows(np.array([[1.0, 2.0], [np.nan, 0.0], [np.inf, 0.0]]))
    array([ True, False, False])
    """
    return np.isfinite(row_norms(rows))


def _check(rows: Rows, k: int) -> None:
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise UsageError(f"rows must be a (V, d) array of floats, got shape {rows.shape} of {rows.dtype}")
    if not 1 <= k <= rows.shape[1]:
        raise UsageError(f"k must be from 1 to the width of the rows, {rows.shape[1]}, got {k}")


def _axes_of_many(rows: Rows, finite: NDArray[np.bool_], mean: NDArray[np.float64]) -> tuple[Any, Any]:
    """Return the variances (d,), largest first, and their directions (d, d), one per row, from the covariance."""
    scatter = np.zeros((rows.shape[1],) * 2)
    for _, block in _blocks(rows, finite):
        centered = block - mean
        scatter += centered.T @ centered
    variances, directions = np.linalg.eigh(scatter)  # in ascending order, one direction per column
    return variances[::-1], directions.T[::-1]


def _axes_of_few(rows: Rows, finite: NDArray[np.bool_], mean: NDArray[np.float64]) -> tuple[Any, Any]:
    """Return the same for at most d rows: as many directions as rows, without a (d, d) matrix."""
    _, sizes, directions = np.linalg.svd(rows[finite].astype(np.float64) - mean, full_matrices=False)
    return sizes**2, directions


def _blocks(rows: Rows, finite: NDArray[np.bool_]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield each slice of the rows and a copy of those in it that are finite, float64."""
    step = max(1, BLOCK_BYTES // (8 * rows.shape[1]))
    for start in range(0, len(rows), step):
        span = slice(start, start + step)
        yield span, rows[span][finite[span]].astype(np.float64)


def _signed(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each component with the sign that makes its largest entry positive."""
    largest = np.abs(components).argmax(1)[:, np.newaxis]
    signs = np.sign(np.take_along_axis(components, largest, 1))
    return components * signs

"""Orthogonal Procrustes: the rotation that brings rows as near as possible to other rows.

Rows of two tables have the same geometry in different axes, since learning starts from random rows. A rotation changes
no dot product between the rotated rows, so their neighbors stay the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.similarity import BLOCK_BYTES

__all__ = ["Alignment", "align"]

Rows = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """A map of rows (n, d): `(rows - mean) @ rotation * scale + to_mean`.

    Attributes:
        rotation: (d, d) float64, orthogonal; it may include a reflection.
        scale: The factor of all rows, 1 unless it was fitted.
        mean: (d,) float64, zeros unless the rows were centered.
        to_mean: (d,) float64, zeros unless the rows were centered.
        pairs: The number of pairs that it was fitted to.
        error: The sum of squared distances that is left, divided by that of the rows aligned to (from their mean if
            they were centered): 0 for a perfect fit; NaN if all these rows are zeros.
    """

    rotation: Doubles
    scale: float
    mean: Doubles
    to_mean: Doubles
    pairs: int
    error: float

    @property
    def is_linear(self) -> bool:
        """Whether zeros are mapped to zeros: rows were not centered."""
        return not (self.mean.any() or self.to_mean.any())

    def apply(self, rows: Rows) -> Rows:
        """Return the mapped rows (n, d), computed in float64 in blocks; NaN stays NaN.

        Floats keep their dtype; other numbers become float64.

        Raises:
            UsageError: The rows have another width.

        >>> Alignment(np.array([[0.0, 1.0], [-1.0, 0.0]]), 2.0, np.zeros(2), np.zeros(2), 2, 0.0).apply(np.eye(2))
        array([[ 0.,  2.],
               [-2.,  0.]])
        """
        if rows.ndim != 2 or rows.shape[1] != len(self.mean):
            raise UsageError(f"rows must be (n, {len(self.mean)}), the width of the alignment, got {rows.shape}")
        mapped = np.empty(rows.shape, rows.dtype if rows.dtype.kind == "f" else np.float64)
        step = max(1, BLOCK_BYTES // (8 * rows.shape[1]))
        with np.errstate(invalid="ignore", over="ignore"):  # rows with NaN or infinity
            for start in range(0, len(rows), step):
                block = np.asarray(rows[start : start + step], np.float64)
                mapped[start : start + step] = (block - self.mean) @ (self.rotation * self.scale) + self.to_mean
        return mapped


def align(rows: Rows, to: Rows, *, center: bool = False, scale: bool = False) -> Alignment:
    """Return the orthogonal map of `rows` that is nearest to `to`, row by row, by least squares.

    The rotation R minimizes ‖rows R - to‖² over all orthogonal matrices: R = U Vᵀ, where U S Vᵀ is the singular value
    decomposition of rowsᵀ to. Source: Schönemann 1966. Fewer than d independent rows do not determine R completely;
    of the best ones, one is returned.

    Args:
        rows: (n, d) finite numbers.
        to: (n, d) finite numbers, the i-th for the i-th of `rows`.
        center: Subtract the mean of each side first.
        scale: Also fit one factor for all rows, by least squares.

    Returns:
        The map; `apply` it to any rows of the same width.

    Raises:
        UsageError: Shapes differ, there are no rows, or one has NaN or infinity.

    >>> rows = np.random.default_rng(0).normal(size=(20, 3))
    >>> turned = rows @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> found = align(rows, turned)
    >>> np.allclose(found.apply(rows), turned), round(found.error, 9)
    (True, 0.0)
    """
    left, right = _checked(rows, to)
    mean, to_mean = (side.mean(axis=0) if center else np.zeros(side.shape[1]) for side in (left, right))
    left, right = left - mean, right - to_mean
    left_basis, sizes, right_basis = np.linalg.svd(left.T @ right)
    squares, to_squares, common = (left**2).sum(), (right**2).sum(), sizes.sum()
    factor = float(common / squares) if scale and squares > 0 else 1.0
    left_over = max(0.0, float(factor**2 * squares - 2 * factor * common + to_squares))
    error = left_over / float(to_squares) if to_squares > 0 else float("nan")
    return Alignment(left_basis @ right_basis, factor, mean, to_mean, len(left), error)


def _checked(rows: Rows, to: Rows) -> tuple[Doubles, Doubles]:
    """Return both sides as float64; raise `UsageError` unless they are finite and of equal shape."""
    left, right = np.asarray(rows, np.float64), np.asarray(to, np.float64)
    if left.ndim != 2 or right.ndim != 2 or len(left) != len(right):
        raise UsageError(f"rows and to must be (n, d), one row of each for each pair, got {left.shape}, {right.shape}")
    if left.shape[1] != right.shape[1]:
        raise UsageError(
            f"rows are {left.shape[1]} wide and to is {right.shape[1]} wide, but a rotation needs equal widths; reduce "
            "the wider one with rowspace.space.pca"
        )
    if not left.size:
        raise UsageError("rows and to have no pair of rows; give at least one")
    for name, side in (("rows", left), ("to", right)):
        if not np.isfinite(side).all():
            place = int(np.argmin(np.isfinite(side).all(axis=1)))
            raise UsageError(f"{name} must be finite, but row {place} has NaN or infinity; leave out its pair")
    return left, right

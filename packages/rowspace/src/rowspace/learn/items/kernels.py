"""Alternating least squares on sparse rows: conjugate gradients for each row, and sums over blocks of rows."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.items.interactions import ByRow

__all__ = ["add_gram", "observed_loss", "solve_rows"]

Rows = NDArray[np.float32]


@kernel
def add_gram(rows: Rows, begin: int, end: int, gram: NDArray[np.float64]) -> None:
    """Add the sum of y yᵀ over `rows[begin:end]`, (n, d), to the upper triangle of `gram`, (d, d)."""
    for row in range(begin, end):
        for i in range(rows.shape[1]):
            value = np.float64(rows[row, i])
            for j in range(i, rows.shape[1]):
                gram[i, j] += value * rows[row, j]


@kernel
def multiply(
    vector: Rows, gram: Rows, fixed: Rows, ids: NDArray[np.int32], extra: NDArray[np.float32], product: Rows
) -> None:
    """Write (G + sum of e y yᵀ) v to `product`, (d,): G is `gram`, y are the rows `ids` of `fixed`, e is `extra`."""
    width = len(vector)
    product[:] = 0
    for i in range(0, width - 3, 4):  # G is symmetric: whole rows of it, four at a time, need no sums across lanes
        for j in range(width):
            product[j] += (vector[i] * gram[i, j] + vector[i + 1] * gram[i + 1, j]) + (
                vector[i + 2] * gram[i + 2, j] + vector[i + 3] * gram[i + 3, j]
            )
    for i in range(width - width % 4, width):
        for j in range(width):
            product[j] += vector[i] * gram[i, j]
    for place in range(len(ids)):
        row = ids[place]
        score = np.float32(0)
        for j in range(width):
            score += fixed[row, j] * vector[j]
        score *= extra[place]
        for j in range(width):
            product[j] += score * fixed[row, j]


@kernel
def solve_rows(
    begin: int, end: int, by_row: ByRow, gram: Rows, fixed: Rows, rows: Rows, steps: int, scratch: Rows
) -> None:
    """Solve for `rows[begin:end]` by `steps` conjugate gradient steps from their present values.

    Row x of the entries (y, e) minimizes xᵀ G x + sum of (1 + e) (1 - x·y)² - (x·y)²; a row without entries becomes 0.

    Args:
        begin: The first row.
        end: After the last row.
        by_row: The ids of the entries of each row, and their e as weights.
        gram: (d, d), G: the sum of y yᵀ over all `fixed`, plus the regularization.
        fixed: (m, d), the y.
        rows: (n, d), updated.
        steps: The number of steps, fewer where the residual vanishes.
        scratch: (3, d).
    """
    residual, direction, product = scratch[0], scratch[1], scratch[2]
    width = rows.shape[1]
    for row in range(begin, end):
        first, last = by_row.starts[row], by_row.starts[row + 1]
        ids, extra = by_row.ids[first:last], by_row.weights[first:last]
        x = rows[row]
        if first == last:
            x[:] = 0
            continue
        multiply(x, gram, fixed, ids, extra, product)
        for j in range(width):
            residual[j] = -product[j]
        for place in range(len(ids)):
            for j in range(width):
                residual[j] += (1 + extra[place]) * fixed[ids[place], j]
        square = np.float32(0)
        for j in range(width):
            direction[j] = residual[j]
            square += residual[j] * residual[j]
        for _ in range(steps):
            if not square > 1e-20:
                break
            multiply(direction, gram, fixed, ids, extra, product)
            curvature = np.float32(0)
            for j in range(width):
                curvature += direction[j] * product[j]
            if not curvature < np.inf:  # the weights are too large for float32: the row is NaN, which the loss shows
                x[:] = np.nan
                break
            length, before = square / curvature, square
            square = np.float32(0)
            for j in range(width):
                x[j] += length * direction[j]
                residual[j] -= length * product[j]
                square += residual[j] * residual[j]
            for j in range(width):
                direction[j] = residual[j] + (square / before) * direction[j]


@kernel
def observed_loss(begin: int, end: int, by_row: ByRow, fixed: Rows, rows: Rows) -> float:
    """Return the sum of (1 + e) (1 - x·y)² - (x·y)² over the entries of `rows[begin:end]`."""
    total = 0.0
    for row in range(begin, end):
        for place in range(by_row.starts[row], by_row.starts[row + 1]):
            score = np.float32(0)
            for j in range(rows.shape[1]):
                score += fixed[by_row.ids[place], j] * rows[row, j]
            total += (1.0 + by_row.weights[place]) * (1.0 - score) ** 2 - np.float64(score) ** 2
    return total

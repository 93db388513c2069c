"""A part of a matrix, downsampled for display: each cell is a number of the matrix, or summarizes several."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = ["DownsampleMethod", "DownsampledMatrix", "downsample_matrix"]

DownsampleMethod = Literal["mean", "sample"]
_MAX_READ = 1 << 22  # numbers of the matrix


@dataclass(frozen=True, eq=False)
class DownsampledMatrix:
    """Cells of a matrix.

    Attributes:
        values: (h, w) float32.
        row_edges: (h + 1,) int64: cell (i, j) is of rows `row_edges[i]` up to, not including, `row_edges[i + 1]`.
        column_edges: (w + 1,) int64: the same for columns.
        rows_read: the largest number of rows that a cell was computed from.
    """

    values: NDArray[np.float32]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    rows_read: int


def downsample_matrix(
    matrix: NDArray[np.floating[Any]],
    rows: tuple[int, int],
    columns: tuple[int, int],
    *,
    cells: tuple[int, int],
    by: DownsampleMethod = "mean",
) -> DownsampledMatrix:
    """Downsample rows and columns (first, end) of a matrix (V, d) to at most `cells` (h, w); nothing is enlarged.

    NaN stays NaN. Memory is bounded for matrices of any size.

    Args:
        matrix: (V, d) floats, which may be a memory map.
        rows: the first row and the one after the last.
        columns: the first column and the one after the last.
        cells: the maximum numbers of rows and columns of the result.
        by: "mean" of the numbers of a cell, of evenly spaced rows where more than four million would be read;
            "sample": the first of them.

    Raises:
        UsageError: a range is empty or not inside the matrix, or there are no cells.

    >>> matrix = np.arange(12.0).reshape(4, 3)
    >>> downsample_matrix(matrix, (0, 4), (0, 3), cells=(2, 3)).values
    array([[1.5, 2.5, 3.5],
           [7.5, 8.5, 9.5]], dtype=float32)
    >>> downsample_matrix(matrix, (1, 3), (2, 3), cells=(9, 9), by="sample").values.tolist()
    [[5.0], [8.0]]
    """
    for name, (first, end), size in (("rows", rows, matrix.shape[0]), ("columns", columns, matrix.shape[1])):
        if not 0 <= first < end <= size:
            raise UsageError(
                f"{name} must be within 0 to {size:,}, with the start before the end, not {first:,} to {end:,}"
            )
    if min(cells) < 1 or by not in get_args(DownsampleMethod):
        raise UsageError(f"cells must be 1 or more in each dimension, by mean or sample, not {cells} by {by!r}")
    row_edges, column_edges = _edges(*rows, cells[0]), _edges(*columns, cells[1])
    if by == "sample":
        values = matrix[row_edges[:-1]][:, column_edges[:-1]]
        return DownsampledMatrix(values.astype(np.float32), row_edges, column_edges, 1)
    bands = len(row_edges) - 1
    limit = max(1, _MAX_READ // (bands * (columns[1] - columns[0])))
    read = [_spaced(first, end, limit) for first, end in pairwise(row_edges)]
    values = np.stack([_mean(matrix[ids, columns[0] : columns[1]], column_edges - columns[0]) for ids in read])
    return DownsampledMatrix(values, row_edges, column_edges, max(map(len, read)))


def _edges(first: int, end: int, cells: int) -> NDArray[np.int64]:
    """Return the start of each of at most `cells` equal parts of a range, and the end of the last one."""
    return np.linspace(first, end, min(cells, end - first) + 1).astype(np.int64)


def _spaced(first: int, end: int, limit: int) -> NDArray[np.int64]:
    """Return a limited number of evenly spaced numbers of a range."""
    return np.linspace(first, end, min(limit, end - first), endpoint=False).astype(np.int64)


def _mean(band: NDArray[np.floating[Any]], edges: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the mean of each of the column ranges of a band (n, d): (w,)."""
    sums = np.add.reduceat(band.sum(axis=0, dtype=np.float64), edges[:-1])
    means: NDArray[np.float32] = (sums / (len(band) * np.diff(edges))).astype(np.float32)
    return means

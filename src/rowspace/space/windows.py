"""A part of a matrix at the size of a picture: each cell is a number of the matrix, or stands for several.

Read next: `similarity.py`.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = ["Shrinking", "Window", "matrix_window"]

Shrinking = Literal["mean", "sample"]
_MOST_READ = 1 << 22  # numbers of the matrix


@dataclass(frozen=True, eq=False)
class Window:
    """Cells of a matrix: `values` float32 (h, w).

    `row_edges` int64 (h + 1,) and `column_edges` (w + 1,): cell (i, j) stands for rows `row_edges[i]` up to
    `row_edges[i + 1]`, without the last, and columns likewise. `rows_read`: of each band of rows, how many at most
    the cell was made of.
    """

    values: NDArray[np.float32]
    row_edges: NDArray[np.int64]
    column_edges: NDArray[np.int64]
    rows_read: int


def matrix_window(
    matrix: NDArray[np.floating[Any]],
    rows: tuple[int, int],
    columns: tuple[int, int],
    *,
    cells: tuple[int, int],
    by: Shrinking = "mean",
) -> Window:
    """Shrink rows and columns (first, end) of a matrix (V, d) to at most `cells` (h, w), never to be larger than it.

    `by`: "mean" of the numbers that a cell stands for, of evenly spaced rows where they are more than four million in
    all; "sample": the first of them. NaN stays NaN. Memory is bounded, however large the matrix. Raises UsageError for
    a range that is empty or not inside the matrix, and for no cells.

    >>> matrix = np.arange(12.0).reshape(4, 3)
    >>> matrix_window(matrix, (0, 4), (0, 3), cells=(2, 3)).values
    array([[1.5, 2.5, 3.5],
           [7.5, 8.5, 9.5]], dtype=float32)
    >>> matrix_window(matrix, (1, 3), (2, 3), cells=(9, 9), by="sample").values.tolist()
    [[5.0], [8.0]]
    """
    for name, (first, end), size in (("rows", rows, matrix.shape[0]), ("columns", columns, matrix.shape[1])):
        if not 0 <= first < end <= size:
            raise UsageError(f"{name} must be from 0 to {size:,}, the first before the end, not {first:,} to {end:,}")
    if min(cells) < 1 or by not in get_args(Shrinking):
        raise UsageError(f"cells must be 1 or more each way and by mean or sample, not {cells} by {by!r}")
    row_edges, column_edges = _edges(*rows, cells[0]), _edges(*columns, cells[1])
    if by == "sample":
        values = matrix[row_edges[:-1]][:, column_edges[:-1]]
        return Window(values.astype(np.float32), row_edges, column_edges, 1)
    bands = len(row_edges) - 1
    most = max(1, _MOST_READ // (bands * (columns[1] - columns[0])))
    read = [_spaced(first, end, most) for first, end in pairwise(row_edges)]
    values = np.stack([_mean(matrix[ids, columns[0] : columns[1]], column_edges - columns[0]) for ids in read])
    return Window(values, row_edges, column_edges, max(map(len, read)))


def _edges(first: int, end: int, cells: int) -> NDArray[np.int64]:
    """Where each of at most `cells` equal parts of a range begins, and where the last one ends."""
    return np.linspace(first, end, min(cells, end - first) + 1).astype(np.int64)


def _spaced(first: int, end: int, most: int) -> NDArray[np.int64]:
    """At most so many of the numbers of a range, evenly spaced."""
    return np.linspace(first, end, min(most, end - first), endpoint=False).astype(np.int64)


def _mean(band: NDArray[np.floating[Any]], edges: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean of each of the column ranges of a band (n, d): (w,)."""
    sums = np.add.reduceat(band.sum(axis=0, dtype=np.float64), edges[:-1])
    means: NDArray[np.float32] = (sums / (len(band) * np.diff(edges))).astype(np.float32)
    return means

"""The loops of the fused input: rows of three tables added and normalized in one pass, and the backward pass.

Plain functions on float32 arrays; each thread works on rows of its own.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace.jit import kernel

__all__ = ["backward_rows", "forward_rows", "sum_rows"]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]
Line = NDArray[np.float32]


@kernel
def forward_rows(
    ids: tuple[Ids, ...], tables: tuple[Rows, ...], norm: tuple[Line, ...], eps: float, begin: int, end: int,
    output: Rows, lines: Rows,
) -> None:  # fmt: skip
    """Write the rows from `begin` to `end`: the sum of three tables' rows, less its mean, over its deviation.

    `norm` is its weight and bias; `lines` (2, N) gets each row's mean and what it was multiplied by.
    """
    weight, bias = norm
    size = output.shape[1]
    for row in range(begin, end):
        first, second, third = tables[0][ids[0][row]], tables[1][ids[1][row]], tables[2][ids[2][row]]
        out = output[row]
        total = np.float32(0)
        for column in range(size):
            value = first[column] + second[column] + third[column]
            out[column] = value
            total += value
        mean = total / np.float32(size)
        squares = np.float32(0)
        for column in range(size):
            value = out[column] - mean
            squares += value * value
        scale = np.float32(1 / np.sqrt(squares / size + eps))
        for column in range(size):
            out[column] = (out[column] - mean) * scale * weight[column] + bias[column]
        lines[0, row], lines[1, row] = mean, scale


@kernel
def backward_rows(
    ids: tuple[Ids, ...], tables: tuple[Rows, ...], weight: Line, lines: Rows, order: Ids,
    begin: int, end: int, grad: Rows, moved: Rows, sums: tuple[Rows, ...],
) -> None:  # fmt: skip
    """Write what falls on each sum of three rows, for the rows `order[begin:end]`, and add it up where that is cheap.

    `lines` are those of the way forward. `sums` are of the norm's weight and bias
    (2, d), of the second table's rows, both this thread's own, and of the third table's, which threads do not share.
    """
    size = grad.shape[1]
    for place in range(begin, end):
        row = order[place]
        first, second, third = tables[0][ids[0][row]], tables[1][ids[1][row]], tables[2][ids[2][row]]
        out, given = moved[row], grad[row]
        of_weight, of_bias = sums[0][0], sums[0][1]
        of_second, of_third = sums[1][ids[1][row]], sums[2][ids[2][row]]
        mean, scale = lines[0, row], lines[1, row]
        total, along = np.float32(0), np.float32(0)
        for column in range(size):
            normal = (first[column] + second[column] + third[column] - mean) * scale
            out[column] = normal
            part = given[column] * weight[column]
            total += part
            along += part * normal
            of_weight[column] += given[column] * normal
            of_bias[column] += given[column]
        total /= np.float32(size)
        along /= np.float32(size)
        for column in range(size):
            value = (given[column] * weight[column] - total - out[column] * along) * scale
            out[column] = value
            of_second[column] += value
            of_third[column] += value


@kernel
def sum_rows(order: Ids, ids: Ids, first: int, last: int, moved: Rows, gradient: Rows) -> None:
    """Add up the columns from `first` to `last` of `moved`, in this order of rows, on the rows of `gradient` by id."""
    for place in range(len(order)):
        source, target = moved[order[place]], gradient[ids[order[place]]]
        for column in range(first, last):
            target[column] += source[column]

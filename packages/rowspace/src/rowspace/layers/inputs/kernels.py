"""The kernels of the fused input: the normalized sum of the rows of three tables in one pass, and the backward pass.

Plain functions on float32 arrays; each thread has its own range of rows.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["backward_rows", "forward_rows", "sum_rows"]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]
Vector = NDArray[np.float32]


@kernel
def forward_rows(
    ids: tuple[Ids, ...], tables: tuple[Rows, ...], norm: tuple[Vector, ...], eps: float, begin: int, end: int,
    output: Rows, mean_and_scale: Rows,
) -> None:  # fmt: skip
    """Write the rows `begin` to `end`: LayerNorm of the sum of the rows of three tables.

    `norm` is its weight and bias; the mean and inverse standard deviation of each row go to `mean_and_scale` (2, N).
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
        mean_and_scale[0, row], mean_and_scale[1, row] = mean, scale


@kernel
def backward_rows(
    ids: tuple[Ids, ...], tables: tuple[Rows, ...], weight: Vector, mean_and_scale: Rows, order: Ids,
    begin: int, end: int, grad_output: Rows, grad_input: Rows, sums: tuple[Rows, ...],
) -> None:  # fmt: skip
    """Write the gradient of each sum of three rows, for the rows `order[begin:end]`, and accumulate three of the sums.

    `mean_and_scale` are those of the forward pass. `sums` are the gradients of the norm's weight and bias (2, d) and of
    the second table, both separate for each thread, and of the third table, whose rows belong to one thread each.
    """
    size = grad_output.shape[1]
    for place in range(begin, end):
        row = order[place]
        first, second, third = tables[0][ids[0][row]], tables[1][ids[1][row]], tables[2][ids[2][row]]
        out, upstream = grad_input[row], grad_output[row]
        of_weight, of_bias = sums[0][0], sums[0][1]
        of_second, of_third = sums[1][ids[1][row]], sums[2][ids[2][row]]
        mean, scale = mean_and_scale[0, row], mean_and_scale[1, row]
        total, dot_normal = np.float32(0), np.float32(0)
        for column in range(size):
            normal = (first[column] + second[column] + third[column] - mean) * scale
            out[column] = normal
            part = upstream[column] * weight[column]
            total += part
            dot_normal += part * normal
            of_weight[column] += upstream[column] * normal
            of_bias[column] += upstream[column]
        total /= np.float32(size)
        dot_normal /= np.float32(size)
        for column in range(size):
            value = (upstream[column] * weight[column] - total - out[column] * dot_normal) * scale
            out[column] = value
            of_second[column] += value
            of_third[column] += value


@kernel
def sum_rows(order: Ids, ids: Ids, first: int, last: int, grad_input: Rows, gradient: Rows) -> None:
    """Add the columns `first` to `last` of the rows of `grad_input`, in this order, to the rows of `gradient` by id."""
    for place in range(len(order)):
        source, target = grad_input[order[place]], gradient[ids[order[place]]]
        for column in range(first, last):
            target[column] += source[column]

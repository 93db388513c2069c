"""The kernels of deferred row-wise Adagrad: a row without a gradient only decays."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.optim.kernels.rows import copy_row, sum_gradients

__all__ = ["HISTORY", "catch_up_rows", "extend_products", "step_rows"]

DECAY, RATE, EPS = range(3)
HISTORY = 3

Doubles = NDArray[np.float64]
Steps = NDArray[np.int64]
Rows = NDArray[np.float32] | NDArray[np.float64]


@kernel
def extend_products(lines: Doubles, table: Doubles, first: int, last: int) -> None:
    """Write the lines `last` down to `first`: line s is the product of the decays of the steps after s."""
    for s in range(last, first - 1, -1):
        table[s, 0] = table[s + 1, 0] * lines[s + 1, DECAY]


@kernel
def catch_up_rows(
    rows: Steps, starts: Steps, order: Steps, begin: int, end: int, table: Doubles, first: int, now: int,
    value_steps: Steps, moment_steps: Steps, output: Rows,
    values: Rows,
) -> None:  # fmt: skip
    """Bring `rows[begin:end]` to the step `now`, and copy the values to `output`, see `copy_row`."""
    for place in range(begin, end):
        row = rows[place]
        factor = values.dtype.type(table[value_steps[row] - first, 0])
        if factor != 1:
            for column in range(values.shape[1]):
                values[row, column] *= factor
        value_steps[row] = moment_steps[row] = now
        copy_row(values[row], starts, order, place, output)


@kernel
def step_rows(
    rows: Steps, starts: Steps, order: Steps, gradients: Rows, begin: int, end: int, step: Doubles,
    values: Rows, sums: Rows, sign: int, gradient: Rows,
) -> None:  # fmt: skip
    """The step of row-wise Adagrad for `rows[begin:end]`, which are at the step before; `sums` is (V,)."""
    real = values.dtype.type
    decay = real(step[DECAY])
    for place in range(begin, end):
        sum_gradients(gradients, starts, order, place, gradient)
        row = rows[place]
        squares = real(0)
        for column in range(len(gradient)):
            squares += gradient[column] * gradient[column]
        sums[row] += squares / len(gradient)
        rate = real(sign * step[RATE] / (np.sqrt(sums[row]) + step[EPS]))
        value = values[row]
        for column in range(len(value)):
            value[column] = value[column] * decay - rate * gradient[column]

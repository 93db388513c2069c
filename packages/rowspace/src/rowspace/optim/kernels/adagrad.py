"""The kernels of deferred row-wise Adagrad: a row without a gradient only decays."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.optim.kernels.rows import LinearState, Rows, copy_row, sum_gradients
from rowspace.optim.rows.segments import Segments

__all__ = ["HISTORY", "catch_up_rows", "extend_products", "step_rows"]

DECAY, RATE, EPS = range(3)
HISTORY = 3

Doubles = NDArray[np.float64]


@kernel
def extend_products(lines: Doubles, table: Doubles, first: int, last: int) -> None:
    """Write the lines `last` down to `first`: line s is the product of the decays of the steps after s."""
    for s in range(last, first - 1, -1):
        table[s, 0] = table[s + 1, 0] * lines[s + 1, DECAY]


@kernel
def catch_up_rows(
    segments: Segments, begin: int, end: int, table: Doubles, first: int, now: int, state: LinearState, output: Rows
) -> None:
    """Bring rows `begin` to `end` to the step `now`, and copy the values to `output`, see `copy_row`."""
    for place in range(begin, end):
        row = segments.rows[place]
        value = state.values[row]
        factor = value.dtype.type(table[state.value_steps[row] - first, 0])
        if factor != 1:
            for column in range(len(value)):
                value[column] *= factor
        state.value_steps[row] = state.moment_steps[row] = now
        copy_row(value, segments, place, output)


@kernel
def step_rows(
    segments: Segments, gradients: Rows, begin: int, end: int, step: Doubles, state: LinearState, sign: int,
    gradient: Rows,
) -> None:  # fmt: skip
    """The step of row-wise Adagrad for rows `begin` to `end`, which are at the step before."""
    real, sums = state.values.dtype.type, state.moment
    decay = real(step[DECAY])
    for place in range(begin, end):
        sum_gradients(gradients, segments, place, gradient)
        row = segments.rows[place]
        squares = real(0)
        for column in range(len(gradient)):
            squares += gradient[column] * gradient[column]
        sums[row] += squares / len(gradient)
        rate = real(sign * step[RATE] / (np.sqrt(sums[row]) + step[EPS]))
        value = state.values[row]
        for column in range(len(value)):
            value[column] = value[column] * decay - rate * gradient[column]

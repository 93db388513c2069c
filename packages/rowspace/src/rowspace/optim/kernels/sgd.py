"""The kernels of deferred SGD: a step without a gradient is a 2 × 2 matrix that acts on a value and its momentum."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.optim.kernels.rows import LinearState, Rows, copy_row, sum_gradients
from rowspace.optim.rows.segments import Segments

__all__ = ["HISTORY", "catch_up_rows", "extend_products", "step_rows"]

# Columns of the history: the matrix, and what a step with a gradient needs. The table has the first four.
VALUE_VALUE, VALUE_BUFFER, BUFFER_VALUE, BUFFER_BUFFER, RATE, WEIGHT_DECAY, MOMENTUM, NEW, NESTEROV = range(9)
HISTORY, TABLE = 9, 4

Doubles = NDArray[np.float64]


@kernel
def extend_products(lines: Doubles, table: Doubles, first: int, last: int) -> None:
    """Write the lines `last` down to `first`: line s is the product of the matrices of the steps after s."""
    for s in range(last, first - 1, -1):
        a, b, c, d = table[s + 1, 0], table[s + 1, 1], table[s + 1, 2], table[s + 1, 3]
        step = lines[s + 1]
        table[s, 0] = a * step[0] + b * step[2]
        table[s, 1] = a * step[1] + b * step[3]
        table[s, 2] = c * step[0] + d * step[2]
        table[s, 3] = c * step[1] + d * step[3]


@kernel
def catch_up_rows(
    segments: Segments, begin: int, end: int, table: Doubles, first: int, now: int, state: LinearState, output: Rows
) -> None:
    """Bring rows `begin` to `end` and their momentum to the step `now`; copy the values to `output`, see `copy_row`."""
    real = state.values.dtype.type
    for place in range(begin, end):
        row = segments.rows[place]
        value = state.values[row]
        if state.value_steps[row] < now:
            line = table[state.value_steps[row] - first]
            a, b, c, d = real(line[0]), real(line[1]), real(line[2]), real(line[3])
            buffer = state.moment[row]
            for column in range(len(value)):
                p, m = value[column], buffer[column]
                value[column] = a * p + b * m
                buffer[column] = c * p + d * m
        state.value_steps[row] = state.moment_steps[row] = now
        copy_row(value, segments, place, output)


@kernel
def step_rows(
    segments: Segments, gradients: Rows, begin: int, end: int, step: Doubles, state: LinearState, sign: int,
    gradient: Rows,
) -> None:  # fmt: skip
    """The step of SGD for rows `begin` to `end`, which are at the step before."""
    real = state.values.dtype.type
    rate, decay, momentum = real(step[RATE]), real(step[WEIGHT_DECAY]), real(step[MOMENTUM])
    new, direction = real(step[NEW]), real(sign)
    for place in range(begin, end):
        sum_gradients(gradients, segments, place, gradient)
        value, buffer = state.values[segments.rows[place]], state.moment[segments.rows[place]]
        for column in range(len(value)):
            g = direction * gradient[column] + decay * value[column]
            if momentum != 0:
                buffer[column] = m = momentum * buffer[column] + new * g
                g = g + momentum * m if step[NESTEROV] != 0 else m
            value[column] -= rate * g

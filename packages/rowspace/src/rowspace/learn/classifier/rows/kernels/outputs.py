"""Scores and steps of the outputs of labels, sixteen columns at once.

A mean and the gradient of the mean are (1, w), and outputs are (labels, w), where w is a multiple of 16.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import exact_kernel, kernel
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes

__all__ = ["exponentiate", "move_all", "move_one", "score_all", "score_one"]

Rows = NDArray[np.float32]

AT_ONCE = 4  # outputs that are read with the mean once
LEAST, MOST = -87.0, 88.0  # e to these is a normal float32
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453
ROUNDING = 12582912.0  # 1.5 × 2^23: a float32 of this size has no place after the point


@kernel
def score_all(outputs: Rows, hidden: Rows, scores: Rows) -> np.float32:
    """Write the product of each output and the mean; returns the greatest."""
    whole, zero, most = len(outputs) // AT_ONCE * AT_ONCE, broadcast(np.float32(0)), np.float32(-np.inf)
    for row in range(0, whole, AT_ONCE):
        total_0, total_1, total_2, total_3 = zero, zero, zero, zero
        for column in range(0, outputs.shape[1], LANES):
            mean = load(hidden, 0, column)
            total_0 = fma(load(outputs, row, column), mean, total_0)
            total_1 = fma(load(outputs, row + 1, column), mean, total_1)
            total_2 = fma(load(outputs, row + 2, column), mean, total_2)
            total_3 = fma(load(outputs, row + 3, column), mean, total_3)
        scores[row], scores[row + 1] = sum_lanes(total_0), sum_lanes(total_1)
        scores[row + 2], scores[row + 3] = sum_lanes(total_2), sum_lanes(total_3)
        left, right = max(scores[row], scores[row + 1]), max(scores[row + 2], scores[row + 3])
        most = max(most, left, right)
    for row in range(whole, len(outputs)):
        scores[row] = score_one(outputs, row, hidden)
        most = max(most, scores[row])
    return most


@kernel
def score_one(outputs: Rows, row: int, hidden: Rows) -> np.float32:
    """Return the product of an output and the mean."""
    total = broadcast(np.float32(0))
    for column in range(0, outputs.shape[1], LANES):
        total = fma(load(outputs, row, column), load(hidden, 0, column), total)
    return sum_lanes(total)


@kernel
def move_all(outputs: Rows, steps: Rows, hidden: Rows, gradient: Rows) -> None:
    """Add to each output its step times the mean, and the steps' parts to the gradient of the mean."""
    whole = len(outputs) // AT_ONCE * AT_ONCE
    for row in range(0, whole, AT_ONCE):
        step_0, step_1 = broadcast(steps[row]), broadcast(steps[row + 1])
        step_2, step_3 = broadcast(steps[row + 2]), broadcast(steps[row + 3])
        for column in range(0, outputs.shape[1], LANES):
            mean = load(hidden, 0, column)
            value_0, value_1 = load(outputs, row, column), load(outputs, row + 1, column)
            value_2, value_3 = load(outputs, row + 2, column), load(outputs, row + 3, column)
            some = fma(step_1, value_1, fma(step_0, value_0, load(gradient, 0, column)))
            store(gradient, 0, column, fma(step_3, value_3, fma(step_2, value_2, some)))
            store(outputs, row, column, fma(step_0, mean, value_0))
            store(outputs, row + 1, column, fma(step_1, mean, value_1))
            store(outputs, row + 2, column, fma(step_2, mean, value_2))
            store(outputs, row + 3, column, fma(step_3, mean, value_3))
    for row in range(whole, len(outputs)):
        move_one(outputs, row, steps[row], hidden, gradient)


@kernel
def move_one(outputs: Rows, row: int, step: np.float32, hidden: Rows, gradient: Rows) -> None:
    """Add to an output a step times the mean, and the step's part to the gradient of the mean."""
    each = broadcast(step)
    for column in range(0, outputs.shape[1], LANES):
        value = load(outputs, row, column)
        store(gradient, 0, column, fma(each, value, load(gradient, 0, column)))
        store(outputs, row, column, fma(each, load(hidden, 0, column), value))


@exact_kernel
def exponentiate(values: Rows) -> None:
    """Replace each value by its exponential, between that of -87 and that of 88; NaN stays.

    e^x = 2^n e^(r ln 2), where n is the whole number nearest to x / ln 2 and r is the rest, from -1/2 to 1/2; the power
    has seven terms of Taylor's series. Relative errors are below 1e-5, as x / ln 2 is a float32. The compiler makes
    vectors of this, which it does not of `exp`.
    """
    for place in range(len(values)):
        value = values[place]
        value = np.float32(LEAST) if value < np.float32(LEAST) else value
        value = np.float32(MOST) if value > np.float32(MOST) else value
        scaled = value * np.float32(LOG2_E)
        rounded = np.float32(scaled + np.float32(ROUNDING))  # its last bits are n
        rest = (scaled - (rounded - np.float32(ROUNDING))) * np.float32(LN_2)
        power = np.float32(1 / 720)
        for inverse in (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
            power = power * rest + np.float32(inverse)
        exponent = np.int32((np.float32(rounded).view(np.int32) << np.int32(23)) + np.int32(127 << 23))
        values[place] = power * np.int32(exponent).view(np.float32)

"""The products: rows against a tile of six output rows, sixteen columns at a time in registers, and their gradients."""

from typing import Any

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import (
    SLOTS_PER_UNIT,
    TABLE_REACH,
    TABLE_SIZE,
    TARGETS_PER_TILE,
    Fixed,
    Ids,
    Mask,
    Rows,
    Scratch,
)
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes

__all__ = ["add", "apply_steps", "clip_score", "fixes_none", "is_free", "score_tile", "steps_from_scores", "table_slot"]


@kernel
def score_tile(inputs: Rows, context: Ids, count: int, outputs: Rows, tile: Ids, scores: Rows) -> None:
    """`scores[i, j] = inputs[context[i]] · outputs[tile[j]]` for the first `count` neighbors."""
    t0, t1, t2, t3, t4, t5 = tile[0], tile[1], tile[2], tile[3], tile[4], tile[5]
    zero = broadcast(np.float32(0))
    for i in range(count):
        row = at(context, i)
        s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
        for column in range(0, inputs.shape[1], LANES):
            block = load(inputs, row, column)
            s0 = fma(block, load(outputs, t0, column), s0)
            s1 = fma(block, load(outputs, t1, column), s1)
            s2 = fma(block, load(outputs, t2, column), s2)
            s3 = fma(block, load(outputs, t3, column), s3)
            s4 = fma(block, load(outputs, t4, column), s4)
            s5 = fma(block, load(outputs, t5, column), s5)
        scores[i, 0], scores[i, 1], scores[i, 2] = sum_lanes(s0), sum_lanes(s1), sum_lanes(s2)
        scores[i, 3], scores[i, 4], scores[i, 5] = sum_lanes(s3), sum_lanes(s4), sum_lanes(s5)


@kernel
def apply_steps(
    inputs: Rows, context: Ids, count: int, outputs: Rows, tile: Ids, gradients: Rows, fixed: Fixed
) -> None:
    """Add `gradients[i, j] * output row j` to input row i, and `gradients[i, j] * input row i` to output row j.

    Both use the rows before the update; a neighbor that occurs twice in the window is updated twice. Fixed rows stay.
    """
    t0, t1, t2, t3, t4, t5 = tile[0], tile[1], tile[2], tile[3], tile[4], tile[5]
    for column in range(0, inputs.shape[1], LANES):
        o0, o1, o2 = load(outputs, t0, column), load(outputs, t1, column), load(outputs, t2, column)
        o3, o4, o5 = load(outputs, t3, column), load(outputs, t4, column), load(outputs, t5, column)
        n0, n1, n2, n3, n4, n5 = o0, o1, o2, o3, o4, o5
        for i in range(count):
            row = at(context, i)
            block = load(inputs, row, column)
            g0, g1, g2 = broadcast(gradients[i, 0]), broadcast(gradients[i, 1]), broadcast(gradients[i, 2])
            g3, g4, g5 = broadcast(gradients[i, 3]), broadcast(gradients[i, 4]), broadcast(gradients[i, 5])
            n0, n1, n2 = fma(g0, block, n0), fma(g1, block, n1), fma(g2, block, n2)
            n3, n4, n5 = fma(g3, block, n3), fma(g4, block, n4), fma(g5, block, n5)
            block = fma(g2, o2, fma(g1, o1, fma(g0, o0, block)))
            block = fma(g5, o5, fma(g4, o4, fma(g3, o3, block)))
            if is_free(fixed.inputs, row):
                store(inputs, row, column, block)
        if is_free(fixed.outputs, t0):
            store(outputs, t0, column, n0)
        if is_free(fixed.outputs, t1):
            store(outputs, t1, column, n1)
        if is_free(fixed.outputs, t2):
            store(outputs, t2, column, n2)
        if is_free(fixed.outputs, t3):
            store(outputs, t3, column, n3)
        if is_free(fixed.outputs, t4):
            store(outputs, t4, column, n4)
        if is_free(fixed.outputs, t5):
            store(outputs, t5, column, n5)


@kernel
def steps_from_scores(count: int, tile: Ids, first: bool, alpha: np.float32, scratch: Scratch) -> float:
    """Turn the scores in `scratch.gradients` into steps, `alpha * (label - logistic(score))`; return the summed loss.

    With softplus(x) = log(1 + exp(x)), the loss is softplus(score), less the score itself where the label is 1.
    """
    steps, loss = scratch.steps, np.float32(0)
    if first:
        for i in range(0, count * TARGETS_PER_TILE, TARGETS_PER_TILE):
            loss -= clip_score(steps[i])
    for i in range(count * TARGETS_PER_TILE):
        slot = table_slot(steps[i])
        loss += scratch.softplus[slot]
        steps[i] = -alpha * scratch.logistic[slot]
    if first:
        for i in range(0, count * TARGETS_PER_TILE, TARGETS_PER_TILE):
            steps[i] += alpha
    for j in range(TARGETS_PER_TILE):
        if tile[j] == scratch.copies.padding:
            for i in range(j, count * TARGETS_PER_TILE, TARGETS_PER_TILE):
                steps[i] = 0
                loss -= scratch.softplus[TABLE_SIZE // 2]
    return float(loss)


@kernel
def table_slot(score: np.float32) -> np.uint32:
    """The slot of `scratch.logistic` and `scratch.softplus` nearest to a score; the first one for NaN.

    The order of the arguments matters: `max` returns its first one unless the second is greater, and NaN never is.
    """
    reached = min(max(np.float32(-TABLE_REACH), score), np.float32(TABLE_REACH))
    return np.uint32((reached + np.float32(TABLE_REACH)) * np.float32(SLOTS_PER_UNIT) + np.float32(0.5))


@kernel
def clip_score(score: np.float32) -> np.float32:
    """The score clipped to the range of the tables; NaN stays NaN, so that it shows in the summed loss."""
    return min(max(score, np.float32(-TABLE_REACH)), np.float32(TABLE_REACH))


@kernel
def add(rows: Rows, row: np.int64, column: int, scale: Any, block: Any, fixed: Mask) -> None:
    """Add a scaled block to a row that is not fixed."""
    if is_free(fixed, row):
        store(rows, row, column, fma(scale, block, load(rows, row, column)))


@kernel
def is_free(fixed: Mask, row: np.int64) -> bool:
    """Whether a row is moved by steps; the compiler knows it where `fixed` is None."""
    if fixed is None:
        return True
    return len(fixed) == 0 or not fixed[np.uint64(row)]


@kernel
def fixes_none(fixed: Mask) -> Mask:
    """Return a mask of the same type that fixes no row."""
    if fixed is None:
        return None
    return fixed[:0]

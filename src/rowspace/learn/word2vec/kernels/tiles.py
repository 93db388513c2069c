"""The products: rows against a tile of six output rows, sixteen columns at a time in registers, and their gradients."""

from typing import Any

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import GROUP, SLOTS_PER_UNIT, TABLE_REACH, TABLE_SIZE, Ids, Rows, Scratch
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import WIDTH, add_product, load, splat, store, total

__all__ = ["add", "differentiate", "move", "place_in_table", "score", "within_reach"]


@kernel
def score(inputs: Rows, context: Ids, count: int, outputs: Rows, group: Ids, scores: Rows) -> None:
    """`scores[i, j] = inputs[context[i]] · outputs[group[j]]` for the first `count` neighbors."""
    t0, t1, t2, t3, t4, t5 = group[0], group[1], group[2], group[3], group[4], group[5]
    zero = splat(np.float32(0))
    for i in range(count):
        row = at(context, i)
        s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
        for column in range(0, inputs.shape[1], WIDTH):
            block = load(inputs, row, column)
            s0 = add_product(block, load(outputs, t0, column), s0)
            s1 = add_product(block, load(outputs, t1, column), s1)
            s2 = add_product(block, load(outputs, t2, column), s2)
            s3 = add_product(block, load(outputs, t3, column), s3)
            s4 = add_product(block, load(outputs, t4, column), s4)
            s5 = add_product(block, load(outputs, t5, column), s5)
        scores[i, 0], scores[i, 1], scores[i, 2] = total(s0), total(s1), total(s2)
        scores[i, 3], scores[i, 4], scores[i, 5] = total(s3), total(s4), total(s5)


@kernel
def move(inputs: Rows, context: Ids, count: int, outputs: Rows, group: Ids, gradients: Rows) -> None:
    """Add `gradients[i, j] * output row j` to input row i, and `gradients[i, j] * input row i` to output row j.

    Each uses the other as it was before; a neighbor that occurs twice in the window is moved twice.
    """
    t0, t1, t2, t3, t4, t5 = group[0], group[1], group[2], group[3], group[4], group[5]
    for column in range(0, inputs.shape[1], WIDTH):
        o0, o1, o2 = load(outputs, t0, column), load(outputs, t1, column), load(outputs, t2, column)
        o3, o4, o5 = load(outputs, t3, column), load(outputs, t4, column), load(outputs, t5, column)
        n0, n1, n2, n3, n4, n5 = o0, o1, o2, o3, o4, o5
        for i in range(count):
            row = at(context, i)
            block = load(inputs, row, column)
            g0, g1, g2 = splat(gradients[i, 0]), splat(gradients[i, 1]), splat(gradients[i, 2])
            g3, g4, g5 = splat(gradients[i, 3]), splat(gradients[i, 4]), splat(gradients[i, 5])
            n0, n1, n2 = add_product(g0, block, n0), add_product(g1, block, n1), add_product(g2, block, n2)
            n3, n4, n5 = add_product(g3, block, n3), add_product(g4, block, n4), add_product(g5, block, n5)
            block = add_product(g2, o2, add_product(g1, o1, add_product(g0, o0, block)))
            block = add_product(g5, o5, add_product(g4, o4, add_product(g3, o3, block)))
            store(inputs, row, column, block)
        store(outputs, t0, column, n0)
        store(outputs, t1, column, n1)
        store(outputs, t2, column, n2)
        store(outputs, t3, column, n3)
        store(outputs, t4, column, n4)
        store(outputs, t5, column, n5)


@kernel
def differentiate(count: int, group: Ids, first: bool, alpha: np.float32, scratch: Scratch) -> float:
    """Turn the scores in `scratch.gradients` into steps, `alpha * (label - logistic(score))`; return the summed loss.

    With softplus(x) = log(1 + exp(x)), the loss is softplus(score), less the score itself where the label is 1.
    """
    steps, loss = scratch.steps, np.float32(0)
    if first:
        for i in range(0, count * GROUP, GROUP):
            loss -= within_reach(steps[i])
    for i in range(count * GROUP):
        slot = place_in_table(steps[i])
        loss += scratch.softplus[slot]
        steps[i] = -alpha * scratch.logistic[slot]
    if first:
        for i in range(0, count * GROUP, GROUP):
            steps[i] += alpha
    for j in range(GROUP):
        if group[j] == scratch.copies.padding:
            for i in range(j, count * GROUP, GROUP):
                steps[i] = 0
                loss -= scratch.softplus[TABLE_SIZE // 2]
    return float(loss)


@kernel
def place_in_table(score: np.float32) -> np.uint32:
    """The slot of `scratch.logistic` and `scratch.softplus` that is nearest to a score; the first one for NaN.

    The order of the arguments matters: `max` returns its first one unless the second is greater, and NaN never is.
    """
    reached = min(max(np.float32(-TABLE_REACH), score), np.float32(TABLE_REACH))
    return np.uint32((reached + np.float32(TABLE_REACH)) * np.float32(SLOTS_PER_UNIT) + np.float32(0.5))


@kernel
def within_reach(score: np.float32) -> np.float32:
    """The score, or the end of the tables that is nearest to it; NaN stays NaN, so that the summed loss shows it."""
    return min(max(score, np.float32(-TABLE_REACH)), np.float32(TABLE_REACH))


@kernel
def add(rows: Rows, row: np.int64, column: int, scale: Any, block: Any) -> None:
    """Add a scaled block to a row."""
    store(rows, row, column, add_product(scale, block, load(rows, row, column)))

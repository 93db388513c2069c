"""CBOW: the averages of three windows in a row are scored against each window's word and shared negatives.

The three windows reach equally far, so that most of their words are the same ones and are read and moved once for all.
"""

from typing import Any

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import (
    TARGETS_PER_TILE,
    WINDOWS_PER_BATCH,
    Fixed,
    Ids,
    Plan,
    Scratch,
    Weights,
)
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes
from rowspace.learn.word2vec.kernels.tiles import (
    add,
    apply_steps,
    clip_score,
    fixes_none,
    is_free,
    score_tile,
    steps_from_scores,
    table_slot,
)

__all__ = ["lay_out_windows", "learn_cbow", "row_at"]


@kernel
def learn_cbow(
    begin: int, end: int, words: Ids, windows: int, alpha: np.float32, weights: Weights, plan: Plan, scratch: Scratch
) -> None:
    """Score the averages (or sums) of the windows of `lay_out_windows` against the targets' rows, and update all.

    The first targets are the windows' own words, one each; the others are negatives of all windows.
    """
    hidden, windows_all, targets = scratch.hidden, scratch.windows, scratch.targets
    fixed = weights.fixed
    averages_free = Fixed(fixes_none(fixed.inputs), fixed.outputs, fixed.ngrams)
    scores = average_windows(begin, end, words, plan.mean, weights, scratch)
    for start in range(WINDOWS_PER_BATCH, len(targets), TARGETS_PER_TILE):
        tile = targets[start : start + TARGETS_PER_TILE]
        score_tile(hidden, windows_all, windows, weights.outputs, tile, scratch.gradients)
        scratch.tally[1] += steps_from_scores(windows, tile, False, alpha, scratch)
        apply_steps(hidden, windows_all, windows, weights.outputs, tile, scratch.gradients, averages_free)
    scratch.own_word_steps[:] = 0
    for w in range(windows):
        slot = table_slot(scores[w])
        scratch.own_word_steps[w] = alpha - alpha * scratch.logistic[slot]
        scratch.tally[1] += scratch.softplus[slot] - clip_score(scores[w])
    update_neighbors(begin, end, words, plan.mean and plan.exact, weights, scratch)
    scratch.tally[0] += windows


@kernel
def lay_out_windows(first: int, length: int, reach: int, words: Ids, plan: Plan, scratch: Scratch) -> tuple[int, int]:
    """Sort the words of three windows, around `first` and the next two, by which windows they lie in.

        one window | two | all three                      | two               | one
        first-reach| +1  | first-reach+2 ... first+reach  | first+reach+1     | +2

    Returns where those of all three begin and end. The rows of the four others go into `scratch.edges`, and then the
    windows' own words' rows, which are to be left out again; the padding row represents a place that the sentence does
    not have, and comes last itself. The windows' sizes, at least 1, go into `scratch.counts`.
    """
    padding = np.int64(len(scratch.composed) - 1 if plan.subwords else scratch.copies.padding)
    edges = scratch.edges
    for i in range(WINDOWS_PER_BATCH - 1):
        edges[i] = row_at(first - reach + i, length, words, padding)
        edges[WINDOWS_PER_BATCH - 1 + i] = row_at(first + reach + 1 + i, length, words, padding)
    for w in range(WINDOWS_PER_BATCH):
        center = first + w
        edges[2 * (WINDOWS_PER_BATCH - 1) + w] = row_at(center, length, words, padding)
        scratch.counts[w] = max(1, min(length, center + reach + 1) - max(0, center - reach) - 1)
    edges[7] = padding
    return max(0, first - reach + WINDOWS_PER_BATCH - 1), min(length, first + reach + 1)


@kernel
def row_at(place: int, length: int, words: Ids, padding: np.int64) -> np.int64:
    """The row of the word at a place, or padding outside the sentence."""
    return at(words, place) if 0 <= place < length else padding


@kernel
def unpack_edges(edges: Ids) -> tuple[np.int64, ...]:
    """The eight edges as local values, so that no loop reads them from memory again."""
    return edges[0], edges[1], edges[2], edges[3], edges[4], edges[5], edges[6], edges[7]


@kernel
def inverse_sizes(counts: Ids, divide: bool) -> tuple[Any, Any, Any]:
    """The factor of each window's sum: one over its size, or 1 unless `divide`."""
    s0, s1, s2 = 1 / counts[0], 1 / counts[1], 1 / counts[2]
    if not divide:
        s0, s1, s2 = 1.0, 1.0, 1.0
    return broadcast(np.float32(s0)), broadcast(np.float32(s1)), broadcast(np.float32(s2))


@kernel
def average_windows(
    begin: int, end: int, words: Ids, mean: bool, weights: Weights, scratch: Scratch
) -> tuple[np.float32, np.float32, np.float32]:
    """Write the windows' averages or sums to `scratch.hidden` and `hidden_before`; return each own word's score."""
    inputs, outputs, targets = weights.inputs, weights.outputs, scratch.targets
    hidden, before = scratch.hidden, scratch.hidden_before
    e0, e1, e2, e3, c0, c1, c2, _ = unpack_edges(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = broadcast(np.float32(1)), broadcast(np.float32(-1)), broadcast(np.float32(0))
    s0, s1, s2 = inverse_sizes(scratch.counts, mean)
    p0, p1, p2 = zero, zero, zero
    for column in range(0, inputs.shape[1], LANES):
        common = zero
        for place in range(begin, end):
            common = fma(one, load(inputs, at(words, place), column), common)
        left, right = load(inputs, e1, column), load(inputs, e2, column)
        h0 = fma(one, load(inputs, e0, column), fma(one, left, common))
        h1 = fma(one, right, fma(one, left, common))
        h2 = fma(one, load(inputs, e3, column), fma(one, right, common))
        h0 = fma(s0, fma(minus, load(inputs, c0, column), h0), zero)
        h1 = fma(s1, fma(minus, load(inputs, c1, column), h1), zero)
        h2 = fma(s2, fma(minus, load(inputs, c2, column), h2), zero)
        p0 = fma(h0, load(outputs, t0, column), p0)
        p1 = fma(h1, load(outputs, t1, column), p1)
        p2 = fma(h2, load(outputs, t2, column), p2)
        store(hidden, 0, column, h0)
        store(hidden, 1, column, h1)
        store(hidden, 2, column, h2)
        store(before, 0, column, h0)
        store(before, 1, column, h1)
        store(before, 2, column, h2)
    return sum_lanes(p0), sum_lanes(p1), sum_lanes(p2)


@kernel
def update_neighbors(begin: int, end: int, words: Ids, divide: bool, weights: Weights, scratch: Scratch) -> None:
    """Update each window's own word and average; add the average's change, or a part of it, to each neighbor."""
    inputs, targets, steps, fixed = weights.inputs, scratch.targets, scratch.own_word_steps, weights.fixed
    e0, e1, e2, e3, c0, c1, c2, padding = unpack_edges(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = broadcast(np.float32(1)), broadcast(np.float32(-1)), broadcast(np.float32(0))
    s0, s1, s2 = inverse_sizes(scratch.counts, divide)
    p0, p1, p2 = broadcast(steps[0]), broadcast(steps[1]), broadcast(steps[2])
    for column in range(0, inputs.shape[1], LANES):
        m0 = fma(s0, step_own_word(0, t0, column, p0, weights, scratch), zero)
        m1 = fma(s1, step_own_word(1, t1, column, p1, weights, scratch), zero)
        m2 = fma(s2, step_own_word(2, t2, column, p2, weights, scratch), zero)
        m01, m12 = fma(one, m0, m1), fma(one, m1, m2)
        common = fma(one, m01, m2)
        for place in range(begin, end):
            add(inputs, at(words, place), column, one, common, fixed.inputs)
        add(inputs, e0, column, one, m0, fixed.inputs)
        add(inputs, e1, column, one, m01, fixed.inputs)
        add(inputs, e2, column, one, m12, fixed.inputs)
        add(inputs, e3, column, one, m2, fixed.inputs)
        add(inputs, c0, column, minus, m0, fixed.inputs)
        add(inputs, c1, column, minus, m1, fixed.inputs)
        add(inputs, c2, column, minus, m2, fixed.inputs)
        store(inputs, padding, column, zero)


@kernel
def step_own_word(w: int, target: np.int64, column: int, step: Any, weights: Weights, scratch: Scratch) -> Any:
    """Update a block of a window's own word with the average before its steps; return the average's change."""
    outputs = weights.outputs
    row, before = load(outputs, target, column), load(scratch.hidden_before, w, column)
    if is_free(weights.fixed.outputs, target):
        store(outputs, target, column, fma(step, before, row))
    moved = fma(broadcast(np.float32(-1)), before, load(scratch.hidden, w, column))
    return fma(step, row, moved)

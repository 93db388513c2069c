"""CBOW: the averages of three windows in a row are scored against each window's word and shared negatives.

The three windows reach equally far, so that most of their words are the same ones and are read and moved once for all.
"""

from typing import Any

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import GROUP, TOGETHER, Ids, Plan, Rows, Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import WIDTH, add_product, load, splat, store, total
from rowspace.learn.word2vec.kernels.tiles import add, differentiate, move, place_in_table, score, within_reach

__all__ = ["lay_windows", "learn_cbow", "row_at"]


@kernel
def learn_cbow(
    begin: int, end: int, words: Ids, windows: int, alpha: np.float32, weights: Weights, plan: Plan, scratch: Scratch
) -> None:
    """Score the averages (or sums) of the windows that `lay_windows` laid against the targets' rows and move all.

    The first targets are the windows' own words, one each; the others are negatives of all windows.
    """
    hidden, windows_all, targets = scratch.hidden, scratch.windows, scratch.targets
    scores = average(begin, end, words, plan.mean, weights, scratch)
    for start in range(TOGETHER, len(targets), GROUP):
        group = targets[start : start + GROUP]
        score(hidden, windows_all, windows, weights.outputs, group, scratch.gradients)
        scratch.tally[1] += differentiate(windows, group, False, alpha, scratch)
        move(hidden, windows_all, windows, weights.outputs, group, scratch.gradients)
    scratch.pulls[:] = 0
    for w in range(windows):
        slot = place_in_table(scores[w])
        scratch.pulls[w] = alpha - alpha * scratch.logistic[slot]
        scratch.tally[1] += scratch.softplus[slot] - within_reach(scores[w])
    share(begin, end, words, plan.mean and plan.exact, weights, scratch)
    scratch.tally[0] += windows


@kernel
def lay_windows(first: int, length: int, reach: int, words: Ids, plan: Plan, scratch: Scratch) -> tuple[int, int]:
    """Sort the words of three windows, around `first` and the next two, by which windows they lie in.

        one window | two | all three                      | two               | one
        first-reach| +1  | first-reach+2 ... first+reach  | first+reach+1     | +2

    Returns where those of all three begin and end. The rows of the four others go into `scratch.edges`, and then the
    windows' own words' rows, which are to be left out again; the padding row stands for a place that the sentence does
    not have, and comes last itself. The windows' sizes, at least 1, go into `scratch.counts`.
    """
    padding = np.int64(len(scratch.composed) - 1 if plan.subwords else scratch.copies.padding)
    edges = scratch.edges
    for i in range(TOGETHER - 1):
        edges[i] = row_at(first - reach + i, length, words, padding)
        edges[TOGETHER - 1 + i] = row_at(first + reach + 1 + i, length, words, padding)
    for w in range(TOGETHER):
        center = first + w
        edges[2 * (TOGETHER - 1) + w] = row_at(center, length, words, padding)
        scratch.counts[w] = max(1, min(length, center + reach + 1) - max(0, center - reach) - 1)
    edges[7] = padding
    return max(0, first - reach + TOGETHER - 1), min(length, first + reach + 1)


@kernel
def row_at(place: int, length: int, words: Ids, padding: np.int64) -> np.int64:
    """The row of the word at a place, or padding before and behind the sentence."""
    return at(words, place) if 0 <= place < length else padding


@kernel
def unpacked(edges: Ids) -> tuple[np.int64, ...]:
    """The eight edges as values of their own, which no loop reads from memory again."""
    return edges[0], edges[1], edges[2], edges[3], edges[4], edges[5], edges[6], edges[7]


@kernel
def shares(counts: Ids, divide: bool) -> tuple[Any, Any, Any]:
    """What each window's sum is multiplied by: one over its size, or 1 where nothing is divided."""
    s0, s1, s2 = 1 / counts[0], 1 / counts[1], 1 / counts[2]
    if not divide:
        s0, s1, s2 = 1.0, 1.0, 1.0
    return splat(np.float32(s0)), splat(np.float32(s1)), splat(np.float32(s2))


@kernel
def average(
    begin: int, end: int, words: Ids, mean: bool, weights: Weights, scratch: Scratch
) -> tuple[np.float32, np.float32, np.float32]:
    """Put each window's average or sum into its row of `scratch.hidden` and of `scratch.before`; return its score.

    The score is that of the window's own word; the negatives' come later.
    """
    inputs, outputs, targets = weights.inputs, weights.outputs, scratch.targets
    hidden, before = scratch.hidden, scratch.before
    e0, e1, e2, e3, c0, c1, c2, _ = unpacked(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = splat(np.float32(1)), splat(np.float32(-1)), splat(np.float32(0))
    s0, s1, s2 = shares(scratch.counts, mean)
    p0, p1, p2 = zero, zero, zero
    for column in range(0, inputs.shape[1], WIDTH):
        common = zero
        for place in range(begin, end):
            common = add_product(one, load(inputs, at(words, place), column), common)
        left, right = load(inputs, e1, column), load(inputs, e2, column)
        h0 = add_product(one, load(inputs, e0, column), add_product(one, left, common))
        h1 = add_product(one, right, add_product(one, left, common))
        h2 = add_product(one, load(inputs, e3, column), add_product(one, right, common))
        h0 = add_product(s0, add_product(minus, load(inputs, c0, column), h0), zero)
        h1 = add_product(s1, add_product(minus, load(inputs, c1, column), h1), zero)
        h2 = add_product(s2, add_product(minus, load(inputs, c2, column), h2), zero)
        p0 = add_product(h0, load(outputs, t0, column), p0)
        p1 = add_product(h1, load(outputs, t1, column), p1)
        p2 = add_product(h2, load(outputs, t2, column), p2)
        store(hidden, 0, column, h0)
        store(hidden, 1, column, h1)
        store(hidden, 2, column, h2)
        store(before, 0, column, h0)
        store(before, 1, column, h1)
        store(before, 2, column, h2)
    return total(p0), total(p1), total(p2)


@kernel
def share(begin: int, end: int, words: Ids, divide: bool, weights: Weights, scratch: Scratch) -> None:
    """Pull each window's word and average together; add what an average has moved, or a share of it, to neighbors."""
    inputs, targets, pulls = weights.inputs, scratch.targets, scratch.pulls
    e0, e1, e2, e3, c0, c1, c2, padding = unpacked(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = splat(np.float32(1)), splat(np.float32(-1)), splat(np.float32(0))
    s0, s1, s2 = shares(scratch.counts, divide)
    p0, p1, p2 = splat(pulls[0]), splat(pulls[1]), splat(pulls[2])
    for column in range(0, inputs.shape[1], WIDTH):
        m0 = add_product(s0, pull(0, t0, column, p0, weights.outputs, scratch), zero)
        m1 = add_product(s1, pull(1, t1, column, p1, weights.outputs, scratch), zero)
        m2 = add_product(s2, pull(2, t2, column, p2, weights.outputs, scratch), zero)
        m01, m12 = add_product(one, m0, m1), add_product(one, m1, m2)
        common = add_product(one, m01, m2)
        for place in range(begin, end):
            add(inputs, at(words, place), column, one, common)
        add(inputs, e0, column, one, m0)
        add(inputs, e1, column, one, m01)
        add(inputs, e2, column, one, m12)
        add(inputs, e3, column, one, m2)
        add(inputs, c0, column, minus, m0)
        add(inputs, c1, column, minus, m1)
        add(inputs, c2, column, minus, m2)
        store(inputs, padding, column, zero)


@kernel
def pull(w: int, target: np.int64, column: int, step: Any, outputs: Rows, scratch: Scratch) -> Any:
    """Move a block of a window's word's row towards what its average was; return all that moves the average."""
    row, before = load(outputs, target, column), load(scratch.before, w, column)
    store(outputs, target, column, add_product(step, before, row))
    moved = add_product(splat(np.float32(-1)), before, load(scratch.hidden, w, column))
    return add_product(step, row, moved)

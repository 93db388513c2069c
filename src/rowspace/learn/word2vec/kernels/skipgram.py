"""Skip-gram: each neighbor's input row is scored against the output rows of the word and of the negatives."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import GROUP, Ids, Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.tiles import differentiate, move, score

__all__ = ["learn_skipgram", "list_neighbors"]


@kernel
def learn_skipgram(count: int, alpha: np.float32, weights: Weights, scratch: Scratch) -> None:
    """Score a window's `count` neighbors against the targets' rows and move both, six targets at a time."""
    context, targets, gradients = scratch.context, scratch.targets, scratch.gradients
    for start in range(0, len(targets), GROUP):
        group = targets[start : start + GROUP]
        score(weights.inputs, context, count, weights.outputs, group, gradients)
        scratch.tally[1] += differentiate(count, group, start == 0, alpha, scratch)
        move(weights.inputs, context, count, weights.outputs, group, gradients)
    scratch.tally[0] += count


@kernel
def list_neighbors(center: int, length: int, reach: int, words: Ids, context: Ids) -> int:
    """List the rows of the neighbors of the word at `center` in `context`; return how many there are."""
    first, end = max(0, center - reach), min(length, center + reach + 1)
    for place in range(first, center):
        context[np.uint64(place - first)] = at(words, place)
    for place in range(center + 1, end):
        context[np.uint64(place - first - 1)] = at(words, place)
    return end - first - 1

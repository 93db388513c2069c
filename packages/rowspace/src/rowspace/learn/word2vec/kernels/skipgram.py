"""Skip-gram: each neighbor's input row is scored against the output rows of the word and of the negatives."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import TARGETS_PER_TILE, Ids, Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.tiles import apply_steps, score_tile, steps_from_scores

__all__ = ["learn_skipgram", "list_neighbors"]


@kernel
def learn_skipgram(count: int, alpha: np.float32, weights: Weights, scratch: Scratch) -> None:
    """Score a window's `count` neighbors against the targets' rows and update both, six targets at a time."""
    context, targets, gradients = scratch.context, scratch.targets, scratch.gradients
    for start in range(0, len(targets), TARGETS_PER_TILE):
        tile = targets[start : start + TARGETS_PER_TILE]
        score_tile(weights.inputs, context, count, weights.outputs, tile, gradients)
        scratch.tally[1] += steps_from_scores(count, tile, start == 0, alpha, scratch)
        apply_steps(weights.inputs, context, count, weights.outputs, tile, gradients, weights.fixed)
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

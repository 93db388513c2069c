"""Each worker's copies of the most frequent words' rows, and how they are merged into the table's."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import SYNC_EVERY, Copies, Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store

__all__ = ["map_to_copies", "merge_copies", "own_row", "start_copies", "word_of"]


@kernel
def map_to_copies(length: int, weights: Weights, scratch: Scratch) -> None:
    """Make words into rows, frequent ones into this worker's copies; merge the copies that were used often enough."""
    copies = scratch.copies
    for place in range(length if copies.words > 0 else 0):
        word = at(scratch.sentence, place)
        counted = min(int(word), copies.words)
        copies.updates_until_sync[counted] -= 1
        if copies.updates_until_sync[counted] <= 0:
            copies.updates_until_sync[counted] = SYNC_EVERY
            if word < copies.words:
                merge_copy(int(word), weights, copies)
        scratch.sentence[place] = own_row(word, copies)


@kernel
def own_row(word: np.int64, copies: Copies) -> np.int64:
    """The row of a word, which is the worker's copy where it has one."""
    return word + (word < copies.words) * copies.first_row


@kernel
def word_of(row: np.int64, size: int, copies: Copies) -> np.int64:
    """The word that a row belongs to: the inverse of `own_row`."""
    return row - (row >= size) * copies.first_row


@kernel
def start_copies(weights: Weights, copies: Copies) -> None:
    """Make a worker's copies equal to the table's rows."""
    for word in range(copies.words):
        for column in range(0, weights.inputs.shape[1], LANES):
            for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
                block = load(rows, word, column)
                store(rows, copies.first_row + word, column, block)
                store(before, word, column, block)


@kernel
def merge_copies(weights: Weights, copies: Copies) -> None:
    """Add the change of a worker's copies since their last merge to the table's rows."""
    for word in range(copies.words):
        merge_copy(word, weights, copies)


@kernel
def merge_copy(word: int, weights: Weights, copies: Copies) -> None:
    """Add the change of a word's copies to its rows, and make all three equal again."""
    minus, one = broadcast(np.float32(-1)), broadcast(np.float32(1))
    for column in range(0, weights.inputs.shape[1], LANES):
        for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
            change = fma(minus, load(before, word, column), load(rows, copies.first_row + word, column))
            block = fma(one, change, load(rows, word, column))
            store(rows, word, column, block)
            store(rows, copies.first_row + word, column, block)
            store(before, word, column, block)

"""Each worker's copies of the most frequent words' rows, and how they are merged into the table's."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import PATIENCE, Copies, Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import WIDTH, add_product, load, splat, store

__all__ = ["merge_copies", "own_row", "start_copies", "use_copies", "word_of"]


@kernel
def use_copies(length: int, weights: Weights, scratch: Scratch) -> None:
    """Make words into rows, frequent ones into this worker's copies; merge the copies that were used often enough."""
    copies = scratch.copies
    for place in range(length if copies.words > 0 else 0):
        word = at(scratch.sentence, place)
        counted = min(int(word), copies.words)
        copies.left[counted] -= 1
        if copies.left[counted] <= 0:
            copies.left[counted] = PATIENCE
            if word < copies.words:
                merge_copy(int(word), weights, copies)
        scratch.sentence[place] = own_row(word, copies)


@kernel
def own_row(word: np.int64, copies: Copies) -> np.int64:
    """The row of a word, which is the worker's copy where it has one."""
    return word + (word < copies.words) * copies.first


@kernel
def word_of(row: np.int64, size: int, copies: Copies) -> np.int64:
    """The word that a row belongs to: the inverse of `own_row`."""
    return row - (row >= size) * copies.first


@kernel
def start_copies(weights: Weights, copies: Copies) -> None:
    """Make a worker's copies equal to the table's rows."""
    for word in range(copies.words):
        for column in range(0, weights.inputs.shape[1], WIDTH):
            for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
                block = load(rows, word, column)
                store(rows, copies.first + word, column, block)
                store(before, word, column, block)


@kernel
def merge_copies(weights: Weights, copies: Copies) -> None:
    """Add to the table's rows what a worker's copies have moved since they last agreed."""
    for word in range(copies.words):
        merge_copy(word, weights, copies)


@kernel
def merge_copy(word: int, weights: Weights, copies: Copies) -> None:
    """Add to a word's rows what its copies have moved, and let all three be the same again."""
    minus, one = splat(np.float32(-1)), splat(np.float32(1))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
            moved = add_product(minus, load(before, word, column), load(rows, copies.first + word, column))
            block = add_product(one, moved, load(rows, word, column))
            store(rows, word, column, block)
            store(rows, copies.first + word, column, block)
            store(before, word, column, block)

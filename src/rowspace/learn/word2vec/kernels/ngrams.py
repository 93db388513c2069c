"""Words with n-grams: a word's row is composed while windows reach it, and what it has moved is given back."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import Scratch, Weights
from rowspace.learn.word2vec.kernels.copies import word_of
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import WIDTH, add_product, load, splat, store

__all__ = ["compose", "scatter"]


@kernel
def compose(place: int, weights: Weights, scratch: Scratch) -> None:
    """Form the mean of a word's own row and its n-grams' rows, for as long as windows reach the word."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.slots, place)
    word = word_of(row, weights.size, scratch.copies)
    first, end = ngrams.starts[word], ngrams.starts[word + 1]
    zero, one = splat(np.float32(0)), splat(np.float32(1))
    scale = splat(np.float32(1) / np.float32(1 + end - first))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        block = load(weights.inputs, row, column)
        for i in range(first, end):
            block = add_product(one, load(ngrams.rows, ngrams.places[i], column), block)
        block = add_product(scale, block, zero)
        store(scratch.composed, slot, column, block)
        store(scratch.formed, slot, column, block)


@kernel
def scatter(place: int, weights: Weights, scratch: Scratch) -> None:
    """Add what a composed row has moved to the word's own row and to each of its n-grams', whole, as fastText does."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.slots, place)
    word = word_of(row, weights.size, scratch.copies)
    first, end = ngrams.starts[word], ngrams.starts[word + 1]
    minus, one = splat(np.float32(-1)), splat(np.float32(1))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        moved = add_product(minus, load(scratch.formed, slot, column), load(scratch.composed, slot, column))
        store(weights.inputs, row, column, add_product(one, moved, load(weights.inputs, row, column)))
        for i in range(first, end):
            part = ngrams.places[i]
            store(ngrams.rows, part, column, add_product(one, moved, load(ngrams.rows, part, column)))

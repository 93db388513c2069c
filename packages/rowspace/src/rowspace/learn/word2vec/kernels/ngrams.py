"""Words with n-grams: a word's row is composed while windows reach it; its change is then added to its parts."""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import Scratch, Weights
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.private import ngram_row, word_of_row
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store
from rowspace.learn.word2vec.kernels.tiles import is_free

__all__ = ["compose_word", "scatter_word"]


@kernel
def compose_word(place: int, weights: Weights, scratch: Scratch) -> None:
    """Write the mean of a word's own row and its n-grams' rows to `scratch.composed`."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.composed_rows, place)
    word = word_of_row(row, weights, scratch.copies, scratch.private)
    first, end = ngrams.indptr[word], ngrams.indptr[word + 1]
    zero, one = broadcast(np.float32(0)), broadcast(np.float32(1))
    scale = broadcast(np.float32(1) / np.float32(1 + end - first))
    for column in range(0, weights.inputs.shape[1], LANES):
        block = load(weights.inputs, row, column)
        for i in range(first, end):
            part = ngram_row(np.int64(ngrams.indices[i]), 0, ngrams, weights.fixed.ngrams, scratch.private)
            block = fma(one, load(ngrams.rows, part, column), block)
        block = fma(scale, block, zero)
        store(scratch.composed, slot, column, block)
        store(scratch.composed_before, slot, column, block)


@kernel
def scatter_word(place: int, weights: Weights, scratch: Scratch) -> None:
    """Add a composed row's whole change to the word's own row and to each of its n-grams', as fastText does."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.composed_rows, place)
    word = word_of_row(row, weights, scratch.copies, scratch.private)
    first, end = ngrams.indptr[word], ngrams.indptr[word + 1]
    minus, one = broadcast(np.float32(-1)), broadcast(np.float32(1))
    for column in range(0, weights.inputs.shape[1], LANES):
        change = fma(minus, load(scratch.composed_before, slot, column), load(scratch.composed, slot, column))
        if is_free(weights.fixed.inputs, row):
            store(weights.inputs, row, column, fma(one, change, load(weights.inputs, row, column)))
        for i in range(first, end):
            part = ngram_row(
                np.int64(ngrams.indices[i]), int(column == 0), ngrams, weights.fixed.ngrams, scratch.private
            )
            if is_free(weights.fixed.ngrams, part):
                store(ngrams.rows, part, column, fma(one, change, load(ngrams.rows, part, column)))

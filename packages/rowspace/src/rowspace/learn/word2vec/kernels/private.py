"""Rows that a part of a chunk has to itself within a round, so that the result does not depend on threads.

A part reads the table's rows as they were at the start of the round: it copies a row on first use and updates its copy.
Once all parts have learned a piece, their changes are added to the table, part after part, so that every sum has a
fixed order. The private rows follow those of the table in the weights.
"""

import numpy as np

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import HALF_WAY, Copies, Mask, Ngrams, Private, Rows, Scratch, Uses, Weights
from rowspace.learn.word2vec.kernels.copies import own_row, word_of
from rowspace.learn.word2vec.kernels.draws import at
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store

__all__ = ["add_changes", "forget_rows", "has_room", "map_to_private", "ngram_row", "target_row", "word_of_row"]


@kernel
def has_room(private: Private) -> bool:
    """Whether the rows of one more sentence fit, however many different ones it has."""
    words, ngrams = private.part_words, private.part_ngrams
    free_words, free_ngrams = words - private.used[private.part, 0], ngrams - private.used[private.part, 1]
    has_words = words == private.word_rows.shape[1] or bool(private.most_words <= free_words)
    return has_words and (ngrams == private.ngram_rows.shape[1] or bool(private.most_ngrams <= free_ngrams))


@kernel
def map_to_private(length: int, weights: Weights, scratch: Scratch, private: Private) -> None:
    """Make the words of the sentence into private rows."""
    for place in range(length):
        scratch.sentence[place] = private_row(at(scratch.sentence, place), True, weights, private)


@kernel
def target_row(word: np.int64, weights: Weights, copies: Copies, private: Private | None) -> np.int64:
    """The row of a drawn word: the worker's copy of a frequent word, or a private row."""
    if private is None:
        return own_row(word, copies)
    return private_row(word, False, weights, private)


@kernel
def word_of_row(row: np.int64, weights: Weights, copies: Copies, private: Private | None) -> np.int64:
    """The word that a row belongs to."""
    if private is None:
        return word_of(row, weights.size, copies)
    return np.int64(private.words[row - weights.size])


@kernel
def private_row(word: np.int64, is_neighbor: bool, weights: Weights, private: Private) -> np.int64:
    """The private row of a word, copied on first use; the input row of a word that was only drawn is not copied."""
    size, part = weights.size, private.part
    row = np.int64(private.word_rows[part, word])
    if row < 0:
        row = size + part * (1 + private.part_words) + 1 + private.used[part, 0]
        private.used[part, 0] += 1
        private.word_rows[part, word] = row
        private.words[row - size] = word
        private.output_uses[row - size] = private.input_uses[row - size] = 0
        copy_row(weights.outputs, weights.fixed.outputs, word, row)
    private.output_uses[row - size] += 1
    if is_neighbor:
        if private.input_uses[row - size] == 0:
            copy_row(weights.inputs, weights.fixed.inputs, word, row)
        private.input_uses[row - size] += 1
    return row


@kernel
def ngram_row(ngram: np.int64, steps: int, ngrams: Ngrams, fixed: Mask, private: Private | None) -> np.int64:
    """The row of an n-gram that is about to make some steps: a private one, if there are private rows."""
    if private is None:
        return ngram
    size, part = len(ngrams.buckets), private.part
    row = np.int64(private.ngram_rows[part, ngram])
    if row < 0:
        row = size + part * private.part_ngrams + private.used[part, 1]
        private.used[part, 1] += 1
        private.ngram_rows[part, ngram] = row
        private.ngrams[row - size] = ngram
        private.ngram_uses[row - size] = 0
        copy_row(ngrams.rows, fixed, ngram, row)
    private.ngram_uses[row - size] += steps
    return row


@kernel
def copy_row(rows: Rows, fixed: Mask, source: np.int64, target: np.int64) -> None:
    """Copy a row; the copy of a fixed row is fixed."""
    for column in range(0, rows.shape[1], LANES):
        store(rows, target, column, load(rows, source, column))
    copy_mask(fixed, source, target)


@kernel
def copy_mask(fixed: Mask, source: np.int64, target: np.int64) -> None:
    """Fix a row if another one is fixed."""
    if fixed is None:
        return
    if len(fixed) > 0:
        fixed[target] = fixed[source]


@kernel
def add_changes(weights: Weights, private: Private, share: int, shares: int) -> None:
    """Add the changes of all parts to the table's rows: to a share of the rows that each part is the first to use."""
    size, num_ngrams = weights.size, len(weights.ngrams.buckets)
    for part in range(len(private.used)):
        first, used = part * (1 + private.part_words) + 1, private.used[part, 0]
        for i in range(first + used * share // shares, first + used * (share + 1) // shares):
            word = np.int64(private.words[i])
            if is_first(private.word_rows, word, part):
                add_to_row(weights.outputs, word, private.word_rows, private.output_uses, part, size)
                add_to_row(weights.inputs, word, private.word_rows, private.input_uses, part, size)
        first, used = part * private.part_ngrams, private.used[part, 1]
        for i in range(first + used * share // shares, first + used * (share + 1) // shares):
            ngram = np.int64(private.ngrams[i])
            if is_first(private.ngram_rows, ngram, part):
                add_to_row(weights.ngrams.rows, ngram, private.ngram_rows, private.ngram_uses, part, num_ngrams)


@kernel
def is_first(private_rows: Uses, row: np.int64, part: int) -> bool:
    """Whether no earlier part has a copy of a row."""
    for earlier in range(part):
        if private_rows[earlier, row] >= 0:
            return False
    return True


@kernel
def add_to_row(rows: Rows, row: np.int64, private_rows: Uses, uses: Uses, first: int, size: int) -> None:
    """Add the changes of all parts, of which `first` is the first one with a copy, to a row of the table, in order.

    Each part has moved its copy as if it were alone. Far from the optimum the changes add up; near it, each of them
    already goes most of the way, so that their sum would go too far. A row is taken to go n / (n + HALF_WAY) of the way
    in n steps, and the sum of the changes is scaled to what all steps one after the other would do.
    """
    count, only, steps, reached = 0, row, np.float32(0), np.float32(0)
    for part in range(first, private_rows.shape[0]):
        private = np.int64(private_rows[part, row])
        if private >= 0 and uses[private - size] > 0:
            count, only = count + 1, private
            made = np.float32(uses[private - size])
            steps += made
            reached += made / (made + np.float32(HALF_WAY))
    if count == 1:
        copy_row(rows, None, only, row)
    elif count > 1:
        scale = steps / ((steps + np.float32(HALF_WAY)) * reached)
        add_scaled(rows, row, private_rows, uses, first, size, scale)


@kernel
def add_scaled(
    rows: Rows, row: np.int64, private_rows: Uses, uses: Uses, first: int, size: int, scale: np.float32
) -> None:
    """Add the scaled sum of the changes of all parts to a row."""
    factor, minus = broadcast(scale), broadcast(-scale)
    for column in range(0, rows.shape[1], LANES):
        before = load(rows, row, column)
        block = before
        for part in range(first, private_rows.shape[0]):
            private = np.int64(private_rows[part, row])
            if private >= 0 and uses[private - size] > 0:
                block = fma(minus, before, fma(factor, load(rows, private, column), block))
        store(rows, row, column, block)


@kernel
def forget_rows(private: Private) -> None:
    """Start a round of this part: it has no private row."""
    part = private.part
    first = part * (1 + private.part_words) + 1
    for i in range(first, first + private.used[part, 0]):
        private.word_rows[part, private.words[i]] = -1
    first = part * private.part_ngrams
    for i in range(first, first + private.used[part, 1]):
        private.ngram_rows[part, private.ngrams[i]] = -1
    private.used[part] = 0

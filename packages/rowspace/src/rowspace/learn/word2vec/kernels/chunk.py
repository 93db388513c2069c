"""A chunk of ids, sentence by sentence, window by window: what `learn_chunk` is called for."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import Fixed, Plan, Private, Scratch, Weights
from rowspace.learn.word2vec.kernels.cbow import lay_out_windows, learn_cbow, row_at
from rowspace.learn.word2vec.kernels.copies import map_to_copies
from rowspace.learn.word2vec.kernels.draws import at, below, random_bits
from rowspace.learn.word2vec.kernels.private import (
    forget_rows,
    has_room,
    map_to_private,
    ngram_row,
    target_row,
    word_of_row,
)
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store
from rowspace.learn.word2vec.kernels.skipgram import learn_skipgram, list_neighbors
from rowspace.learn.word2vec.kernels.tiles import fixes_none, is_free
from rowspace.learn.word2vec.sampling import Sampler

__all__ = ["compose_word", "learn_chunk", "learn_piece", "scatter_word"]


@kernel
def learn_chunk(ids: NDArray[np.int32], weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch) -> None:
    """Learn from `ids: (n,)`, where a negative id ends a sentence; updates `weights` and adds to `scratch.tally`."""
    position = 0
    while position < len(ids):
        alpha = plan.alpha + (plan.alpha_end - plan.alpha) * position / len(ids)
        position, length = next_sentence(ids, position, sampler, scratch)
        map_to_copies(length, weights, scratch)
        if length > 1:
            learn_sentence(length, np.float32(alpha), weights, sampler, plan, scratch)


@kernel
def learn_piece(
    ids: NDArray[np.int32], position: int, weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch
) -> int:
    """Learn a piece of the ids from a position on, in private rows; return the position after them.

    `add_changes` then adds the changes of the private rows to the table.
    """
    private: Private = scratch.private  # type: ignore[assignment]  # a scratch of a deterministic fit has one
    end = min(len(ids), position + private.piece)
    forget_rows(private)
    for place in range(private.pool.shape[1] if position < end else 0):
        private.pool[private.part, place] = draw_negative(sampler, scratch.random)
    while position < end and has_room(private):
        alpha = plan.alpha + (plan.alpha_end - plan.alpha) * position / len(ids)
        position, length = next_sentence(ids, position, sampler, scratch)
        if length > 1:
            map_to_private(length, weights, scratch, private)
            learn_sentence(length, np.float32(alpha), weights, sampler, plan, scratch)
    return position


@kernel
def learn_sentence(
    length: int, alpha: np.float32, weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch
) -> None:
    """Learn each window of the sentence in `scratch.sentence[:length]`, `plan.windows_per_batch` at a time."""
    batch = plan.windows_per_batch
    # What windows list and update: words' rows, or what was composed of a word's row and its n-grams'.
    words = scratch.composed_rows if plan.subwords else scratch.sentence
    inputs = scratch.composed if plan.subwords else weights.inputs
    fixed = weights.fixed
    fixed_inputs = fixes_none(fixed.inputs) if plan.subwords else fixed.inputs  # composed rows are free
    updated = Weights(
        inputs, weights.outputs, weights.ngrams, weights.size, Fixed(fixed_inputs, fixed.outputs, fixed.ngrams)
    )
    composed = 0
    for first in range(0, length, batch):
        draw_targets(first, length, weights, sampler, plan, scratch)
        if plan.subwords:
            while composed < min(first + batch + plan.window, length):
                compose_word(composed, weights, scratch)
                composed += 1
        reach = draw_reach(plan, scratch)
        if plan.cbow:
            begin, end = lay_out_windows(first, length, reach, words, plan, scratch)
            learn_cbow(begin, end, words, min(batch, length - first), alpha, updated, plan, scratch)
        else:
            count = list_neighbors(first, length, reach, words, scratch.context)
            learn_skipgram(count, alpha, updated, scratch)
        if plan.subwords:
            # What no later window reaches, or everything after the last one.
            done = first + batch - plan.window if first + batch < length else length
            for place in range(max(0, first - plan.window), done):
                scatter_word(place, weights, scratch)


@kernel
def next_sentence(ids: NDArray[np.int32], position: int, sampler: Sampler, scratch: Scratch) -> tuple[int, int]:
    """Copy the kept words of the next sentence into `scratch.sentence`; return the next position and its length.

    A sentence that is longer than the scratch is cut there. Any id outside the vocabulary ends a sentence, not only a
    negative one, so that no id indexes outside the arrays.
    """
    length, size = 0, np.uint32(len(sampler.keep))
    while position < len(ids) and length < len(scratch.sentence):
        word = ids[position]
        position += 1
        if np.uint32(word) >= size:  # a negative id is a large unsigned one: one comparison for both
            break
        scratch.sentence[length] = word
        length += np.uint32(random_bits(scratch.random) >> np.uint64(32)) <= sampler.keep[word]
    return position, length


@kernel
def draw_targets(first: int, length: int, weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch) -> None:
    """Fill the targets of the windows of one batch.

    They are the windows' own words, distinct negatives, and padding for what is missing or was drawn twice.
    """
    targets, padding = scratch.targets, np.int64(scratch.copies.padding)
    for w in range(plan.windows_per_batch):
        targets[w] = row_at(first + w, length, scratch.sentence, padding)
    for j in range(plan.windows_per_batch, plan.windows_per_batch + plan.negatives):
        drawn = target_row(
            draw_word(sampler, scratch.random, scratch.private), weights, scratch.copies, scratch.private
        )
        for earlier in range(j):
            if at(targets, earlier) == drawn:
                drawn = padding
        targets[j] = drawn


@kernel
def draw_word(sampler: Sampler, random: NDArray[np.uint64], private: Private | None) -> np.int64:
    """Draw a negative; with private rows, one of those that were drawn for the piece."""
    if private is not None:
        return np.int64(private.pool[private.part, below(private.pool.shape[1], random_bits(random))])
    return draw_negative(sampler, random)


@kernel
def draw_negative(sampler: Sampler, random: NDArray[np.uint64]) -> np.int64:
    """Draw a word in proportion to its count to a power."""
    bits = random_bits(random)
    slot = sampler.slots[below(len(sampler.slots), bits)]
    return np.int64(slot[1 + (np.uint32(bits) > slot[0])])  # an index: the processor would mispredict a branch


@kernel
def draw_reach(plan: Plan, scratch: Scratch) -> int:
    """How many words the windows take to each side."""
    return 1 + below(plan.window, random_bits(scratch.random)) if plan.shrink else plan.window


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

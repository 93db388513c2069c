"""One learning step for every model that rowspace's fast kernels do not have, as plain loops over columns.

These are hierarchical softmax, paragraph vectors (PV-DBOW, PV-DM), sums instead of means, and rows with learning rates
of their own. A step predicts a word from a hidden vector: a row, or the mean, sum or concatenation of several.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.chunk import draw_negative, next_sentence
from rowspace.learn.word2vec.kernels.draws import below, random_bits
from rowspace.learn.word2vec.kernels.tiles import clip_score, table_slot
from rowspace.learn.word2vec.sampling import Sampler

__all__ = ["CBOW", "DBOW", "DM", "DM_CONCAT", "SKIPGRAM", "Outputs", "Parts", "Rules", "Scratch", "learn", "score"]

Rows = NDArray[np.float32]
Ids = NDArray[np.int64]

SKIPGRAM, CBOW, DBOW, DM, DM_CONCAT = range(5)  # what predicts a word


class Parts(NamedTuple):
    """Rows that are learned, and how words and documents are made of them."""

    words: Rows  # (R, d): the words' rows, then those of n-grams
    word_rates: NDArray[np.float32]  # (R,) or (1,): factors of the learning rate
    starts: Ids  # (V + 1,): where the rows of each word begin in `rows`
    rows: NDArray[np.int32]  # the rows of words, each word's own first
    documents: Rows  # (D, d)
    document_rates: NDArray[np.float32]  # (D,) or (1,)


class Outputs(NamedTuple):
    """What hidden vectors are scored against."""

    tree: Rows  # (V, width): the inner nodes of the Huffman tree; no rows without hierarchical softmax
    negative: Rows  # (V, width): words; no rows without negative sampling
    starts: Ids  # (V + 1,): the paths of words in the tree
    points: NDArray[np.int32]
    codes: NDArray[np.uint8]


class Rules(NamedTuple):
    """How a text is learned."""

    mode: int
    window: int
    shrink: bool
    negatives: int
    mean: bool
    words_too: bool  # DBOW: also learn words by skip-gram
    learns_outputs: bool
    null_word: int  # DM_CONCAT: the word outside of a sentence


class Scratch(NamedTuple):
    """One worker's memory."""

    random: NDArray[np.uint64]  # (1,): state of the generator
    sentence: Ids  # (longest sentence,)
    used: Ids  # rows of words that the hidden vector is made of
    hidden: Rows  # (1, width)
    error: Rows  # (1, width): how the hidden vector is to move
    logistic: NDArray[np.float32]  # of scores, by `table_slot`
    softplus: NDArray[np.float32]  # likewise
    tally: NDArray[np.float64]  # (1,): summed loss


@kernel
def learn(
    ids: NDArray[np.int32],
    tags: Ids,
    tag_starts: Ids,
    sentence: int,
    alphas: NDArray[np.float64],
    parts: Parts,
    outputs: Outputs,
    sampler: Sampler,
    rules: Rules,
    scratch: Scratch,
) -> None:
    """Learn from `ids: (n,)`, where -1 ends each sentence; the rate goes from `alphas[0]` to `alphas[1]`.

    The tags of sentence i, rows of documents, are `tags[tag_starts[i] : tag_starts[i + 1]]`; the first one of the ids
    is the number `sentence`. Only models of documents read them.
    """
    position = 0
    while position < len(ids):
        alpha = np.float32(alphas[0] + (alphas[1] - alphas[0]) * position / len(ids))
        position, length = next_sentence(ids, position, sampler, scratch)  # type: ignore[arg-type]  # another scratch, with the same two arrays
        own = tags[0:0] if rules.mode < DBOW else tags[tag_starts[sentence] : tag_starts[sentence + 1]]
        for place in range(length):
            word = scratch.sentence[place]
            reach = 1 + below(rules.window, random_bits(scratch.random)) if rules.shrink else rules.window
            if rules.mode == SKIPGRAM or (rules.mode == DBOW and rules.words_too):
                for other in range(max(0, place - reach), min(length, place + reach + 1)):
                    if other != place:
                        used = list_parts(scratch.sentence[other], 0, parts, scratch)
                        learn_sum(word, used, own[0:0], True, alpha, parts, outputs, sampler, rules, scratch)
            if rules.mode == DBOW:
                for i in range(len(own)):
                    learn_sum(word, 0, own[i : i + 1], True, alpha, parts, outputs, sampler, rules, scratch)
            elif rules.mode == DM_CONCAT:
                learn_concatenation(place, length, own, alpha, parts, outputs, sampler, rules, scratch)
            elif rules.mode != SKIPGRAM:
                used = list_window(place, length, reach, parts, scratch)
                if used + len(own) > 0:
                    learn_sum(word, used, own, rules.mean, alpha, parts, outputs, sampler, rules, scratch)
        sentence += 1


@kernel
def list_parts(word: np.int64, used: int, parts: Parts, scratch: Scratch) -> int:
    """Append the rows of a word to the `used` rows in `scratch.used`; return their number."""
    for i in range(parts.starts[word], parts.starts[word + 1]):
        scratch.used[used] = parts.rows[i]
        used += 1
    return used


@kernel
def list_window(place: int, length: int, reach: int, parts: Parts, scratch: Scratch) -> int:
    """List the rows of the neighbors of the word at `place` in `scratch.used`; return their number."""
    used = 0
    for other in range(max(0, place - reach), min(length, place + reach + 1)):
        if other != place:
            used = list_parts(scratch.sentence[other], used, parts, scratch)
    return used


@kernel
def learn_sum(
    word: np.int64,
    used: int,
    documents: Ids,
    mean: bool,
    alpha: np.float32,
    parts: Parts,
    outputs: Outputs,
    sampler: Sampler,
    rules: Rules,
    scratch: Scratch,
) -> None:
    """Predict a word from the mean or sum of the `used` rows and of documents, and move all of them.

    The whole change of a mean goes to each row, and that of a sum is divided by their number, as in gensim.
    """
    width, count = scratch.hidden.shape[1], used + len(documents)
    hidden, error = scratch.hidden, scratch.error
    hidden[0, :] = 0
    error[0, :] = 0
    for i in range(used):
        for c in range(width):
            hidden[0, c] += parts.words[scratch.used[i], c]
    for i in range(len(documents)):
        for c in range(width):
            hidden[0, c] += parts.documents[documents[i], c]
    share = np.float32(1) / np.float32(count)
    if mean:
        for c in range(width):
            hidden[0, c] *= share
    predict(word, alpha, outputs, sampler, rules, scratch)
    for i in range(used):
        move(parts.words, parts.word_rates, scratch.used[i], 0, np.float32(1) if mean else share, error)
    for i in range(len(documents)):
        move(parts.documents, parts.document_rates, documents[i], 0, np.float32(1) if mean else share, error)


@kernel
def learn_concatenation(
    place: int,
    length: int,
    documents: Ids,
    alpha: np.float32,
    parts: Parts,
    outputs: Outputs,
    sampler: Sampler,
    rules: Rules,
    scratch: Scratch,
) -> None:
    """Predict the word at `place` from its documents' rows and its neighbors' rows one after the other."""
    dim, used = parts.words.shape[1], 0
    if (len(documents) + 2 * rules.window) * dim != scratch.hidden.shape[1]:
        return  # a document with another number of tags
    for other in range(place - rules.window, place + rules.window + 1):
        if other != place:
            word = scratch.sentence[other] if 0 <= other < length else np.int64(rules.null_word)
            scratch.used[used] = parts.rows[parts.starts[word]]
            used += 1
    scratch.error[0, :] = 0
    for i in range(len(documents)):
        for c in range(dim):
            scratch.hidden[0, i * dim + c] = parts.documents[documents[i], c]
    first = len(documents) * dim
    for i in range(used):
        for c in range(dim):
            scratch.hidden[0, first + i * dim + c] = parts.words[scratch.used[i], c]
    predict(scratch.sentence[place], alpha, outputs, sampler, rules, scratch)
    for i in range(len(documents)):
        move(parts.documents, parts.document_rates, documents[i], i * dim, np.float32(1), scratch.error)
    for i in range(used):
        move(parts.words, parts.word_rates, scratch.used[i], first + i * dim, np.float32(1), scratch.error)


@kernel
def move(rows: Rows, rates: NDArray[np.float32], row: np.int64, first: int, share: np.float32, error: Rows) -> None:
    """Add a part of the error, from its column `first`, to a row."""
    factor = share * rates[row % len(rates)]
    for c in range(rows.shape[1]):
        rows[row, c] += factor * error[0, first + c]


@kernel
def predict(
    word: np.int64, alpha: np.float32, outputs: Outputs, sampler: Sampler, rules: Rules, scratch: Scratch
) -> None:
    """Score the hidden vector for a word; move the rows it is scored against, and add its own change to the error."""
    if len(outputs.tree) > 0:
        for i in range(outputs.starts[word], outputs.starts[word + 1]):
            label = np.float32(1) - np.float32(outputs.codes[i])
            step(outputs.tree, np.int64(outputs.points[i]), label, alpha, rules.learns_outputs, scratch)
    if len(outputs.negative) > 0:
        step(outputs.negative, word, np.float32(1), alpha, rules.learns_outputs, scratch)
        for _ in range(rules.negatives):
            drawn = draw_negative(sampler, scratch.random)
            if drawn != word:
                step(outputs.negative, drawn, np.float32(0), alpha, rules.learns_outputs, scratch)


@kernel
def step(rows: Rows, row: np.int64, label: np.float32, alpha: np.float32, learns: bool, scratch: Scratch) -> None:
    """One logistic regression: the hidden vector times a row should be large for label 1, and small for 0."""
    hidden, error = scratch.hidden, scratch.error
    product = dot(rows, row, hidden)
    slot = table_slot(product)
    scratch.tally[0] += scratch.softplus[slot] - label * clip_score(product)
    gradient = alpha * (label - scratch.logistic[slot])
    if learns:
        for c in range(hidden.shape[1]):
            before = rows[row, c]
            error[0, c] += gradient * before
            rows[row, c] = before + gradient * hidden[0, c]
    else:
        for c in range(hidden.shape[1]):
            error[0, c] += gradient * rows[row, c]


@kernel
def dot(rows: Rows, row: np.int64, hidden: Rows) -> np.float32:
    """The product of a row with the hidden vector."""
    product = np.float32(0)
    for c in range(hidden.shape[1]):
        product += rows[row, c] * hidden[0, c]
    return product


@kernel
def score(length: int, parts: Parts, outputs: Outputs, rules: Rules, scratch: Scratch) -> float:
    """The log probability of the sentence in `scratch.sentence[:length]` by hierarchical softmax."""
    total = 0.0
    for place in range(length):
        word = scratch.sentence[place]
        first, end = max(0, place - rules.window), min(length, place + rules.window + 1)
        if rules.mode == CBOW:
            used = list_window(place, length, rules.window, parts, scratch)
            if used > 0:
                total += score_hidden(word, used, rules.mean, parts, outputs, scratch)
        else:
            for other in range(first, end):
                if other != place:
                    used = list_parts(scratch.sentence[other], 0, parts, scratch)
                    total += score_hidden(word, used, True, parts, outputs, scratch)
    return total


@kernel
def score_hidden(word: np.int64, used: int, mean: bool, parts: Parts, outputs: Outputs, scratch: Scratch) -> float:
    """The log probability of a word, given the mean or sum of the `used` rows."""
    scratch.hidden[0, :] = 0
    for i in range(used):
        for c in range(scratch.hidden.shape[1]):
            scratch.hidden[0, c] += parts.words[scratch.used[i], c]
    if mean:
        for c in range(scratch.hidden.shape[1]):
            scratch.hidden[0, c] /= np.float32(used)
    total = 0.0
    for i in range(outputs.starts[word], outputs.starts[word + 1]):
        product = dot(outputs.tree, np.int64(outputs.points[i]), scratch.hidden)
        signed = product if outputs.codes[i] == 0 else -product
        total -= float(math.log1p(math.exp(-abs(signed))) + max(np.float32(0), -signed))
    return total

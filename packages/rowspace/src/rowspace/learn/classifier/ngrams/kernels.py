"""Dual coordinate descent for linear support vector machines, one for each label (Hsieh et al. 2008); squared hinge.

All labels of a text are updated together, so that a feature's weights are one row in memory.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.classifier.rows.kernels.words import hash_word, word_span

__all__ = ["Sparse", "Targets", "learn_hinge", "list_words", "score_texts"]

PRIME = 116049371

Floats = NDArray[np.float32]


class Sparse(NamedTuple):
    """A sparse matrix of texts and features in CSR form."""

    indptr: NDArray[np.int64]  # (n + 1,)
    indices: NDArray[np.int32]
    values: Floats


class Targets(NamedTuple):
    """The labels of texts, and what an error of each text costs."""

    indptr: NDArray[np.int64]  # (n + 1,)
    labels: NDArray[np.int32]
    costs: Floats  # (n,)


@kernel
def learn_hinge(
    texts: Sparse,
    targets: Targets,
    order: NDArray[np.int64],
    weights: Floats,
    alphas: Floats,
    steps: tuple[Floats, Floats],
) -> float:
    """Pass over the texts of `order` once; returns the sum of squared steps of the dual variables.

    Args:
        texts: (n, features).
        targets: of the texts.
        order: (n,) texts.
        weights: (features + 1, labels), the last row that of a constant feature 1; changed.
        alphas: (n, labels) dual variables; changed.
        steps: working memory, (labels,) each.
    """
    scores, signs = steps
    total, last = 0.0, len(weights) - 1
    for place in range(len(order)):
        text = order[place]
        begin, end = texts.indptr[text], texts.indptr[text + 1]
        norm = score_text(texts, text, weights, scores)
        for label in range(len(scores)):
            signs[label] = -1
        for number in range(targets.indptr[text], targets.indptr[text + 1]):
            signs[targets.labels[number]] = 1
        slack = np.float32(0.5) / targets.costs[text]
        scale, moved = np.float32(1) / (norm + slack), np.float32(0)
        for label in range(len(scores)):
            alpha = alphas[text, label]
            gradient = signs[label] * scores[label] - np.float32(1) + alpha * slack
            after = max(np.float32(0), alpha - gradient * scale)
            alphas[text, label] = after
            scores[label] = (after - alpha) * signs[label]
            moved += scores[label] * scores[label]
        if moved > 0:
            for number in range(begin, end):
                feature, value = np.uint64(texts.indices[number]), texts.values[number]
                for label in range(len(scores)):
                    weights[feature, label] += value * scores[label]
            for label in range(len(scores)):
                weights[last, label] += scores[label]
        total += float(moved)
    return total


@kernel
def score_text(texts: Sparse, text: int, weights: Floats, scores: Floats) -> np.float32:
    """Write the scores of a text's labels; returns the sum of the squares of its features."""
    last, norm = len(weights) - 1, np.float32(1)
    for label in range(len(scores)):
        scores[label] = weights[last, label]
    for number in range(texts.indptr[text], texts.indptr[text + 1]):
        feature, value = np.uint64(texts.indices[number]), texts.values[number]
        norm += value * value
        for label in range(len(scores)):
            scores[label] += value * weights[feature, label]
    return norm


@kernel
def score_texts(texts: Sparse, weights: Floats, begin: int, end: int, scores: Floats) -> None:
    """Write the scores of the texts `begin` to `end`, (n, labels)."""
    for text in range(begin, end):
        score_text(texts, text, weights, scores[text])


@kernel
def list_words(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    rules: tuple[int, int],
    hashes: NDArray[np.uint64],
    indptr: NDArray[np.int64],
    found: NDArray[np.int32],
) -> None:
    """Write the buckets of each text's n-grams of words to `found`, and where each text's begin to `indptr`.

    `rules` are the maximum number of words, and the number of buckets. `hashes` holds those of a text.
    """
    size = 0
    for text in range(len(starts) - 1):
        place, end, number = starts[text], starts[text + 1], 0
        while place < end:
            begin, place = word_span(data, place, end)
            if begin < place:
                hashes[number] = hash_word(data, begin, place)
                number += 1
        for first in range(number):
            hashed = np.uint64(0)
            for last in range(first, min(number, first + rules[0])):
                hashed = hashed * np.uint64(PRIME) + hashes[last]
                found[size] = hashed % np.uint64(rules[1])
                size += 1
        indptr[text + 1] = size

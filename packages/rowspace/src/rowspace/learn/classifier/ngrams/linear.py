"""`NgramModel`: a linear model on TF-IDF of n-grams of words and of characters.

Words are in lower case, and each punctuation mark is one. N-grams of characters go across words, with blanks between
words shown as one character. All are hashed (32-bit FNV-1a), and get a column of their own where they are frequent
enough. A count c weighs 1 + log(c), times the inverse document frequency; words and characters are scaled to length 1
separately.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace.learn.classifier.ngrams.kernels import Sparse, Targets, learn_hinge, list_words, score_texts
from rowspace.learn.classifier.rows.dictionary import Dictionary, joined
from rowspace.learn.classifier.rows.features import features_of
from rowspace.learn.classifier.rows.kernels.features import Rules

__all__ = ["KINDS", "Columns", "Kind", "NgramModel", "choose_columns", "counted", "learn_ngrams", "matrix_of"]

BUCKETS = 1 << 22
WORD = re.compile(r"\w+|[^\w\s]")
BLANKS = re.compile(r"\s+")
MIN_TEXTS = 2  # with an n-gram of characters
MAX_WEIGHTS = 1 << 28  # 1 GB
MAX_PASSES, TOLERANCE = 30, 1e-3
TEXTS_AT_ONCE = 1024


class Kind(NamedTuple):
    """Which n-grams: `words` or fewer in a row, or `characters` or fewer; the other is 0."""

    words: int
    characters: int

    def counts(self, texts: Sequence[str]) -> Any:
        """Return how often each text has each n-gram: scipy's CSR matrix (n, buckets) of float32."""
        from scipy.sparse import csr_matrix

        indptr, ids = _listed_words(texts, self.words) if self.words else _listed_characters(texts, self.characters)
        ones = np.ones(len(ids), np.float32)
        counts = csr_matrix((ones, ids, indptr), shape=(len(texts), BUCKETS))
        counts.sum_duplicates()
        return counts


class Columns(NamedTuple):
    """The n-grams that have a column, of one kind."""

    kind: Kind
    buckets: NDArray[np.int32]  # (columns,), ascending
    weights: NDArray[np.float32]  # (columns,), inverse document frequencies


def choose_columns(kind: Kind, counts: Any, *, most: int) -> Columns:
    """Return the n-grams of words, and those of characters that two texts have; at most so many, the most frequent."""
    frequencies = np.bincount(counts.indices, minlength=BUCKETS)
    least = MIN_TEXTS if kind.characters and counts.shape[0] > MIN_TEXTS else 1
    buckets = np.flatnonzero(frequencies >= least)
    if not len(buckets):
        buckets = np.flatnonzero(frequencies)
    if len(buckets) > most:
        buckets = np.sort(buckets[np.argsort(-frequencies[buckets], kind="stable")[:most]])
    inverse = np.log((1 + counts.shape[0]) / (1 + frequencies[buckets])) + 1
    return Columns(kind, buckets.astype(np.int32), inverse.astype(np.float32))


def matrix_of(counts: Sequence[Any], columns: Sequence[Columns]) -> Sparse:
    """Return the TF-IDF of texts by the counts of their n-grams, one matrix for each kind."""
    from scipy.sparse import hstack

    found = hstack([_weighted(each, some) for each, some in zip(counts, columns, strict=True)], format="csr")
    return Sparse(found.indptr.astype(np.int64), found.indices.astype(np.int32), found.data.astype(np.float32))


def _weighted(counts: Any, columns: Columns) -> Any:
    from scipy.sparse import csr_matrix

    places = np.full(BUCKETS, -1, np.int32)
    places[columns.buckets] = np.arange(len(columns.buckets), dtype=np.int32)
    columns_of = places[counts.indices]
    kept = columns_of >= 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
    values = (1 + np.log(counts.data[kept])) * columns.weights[columns_of[kept]]
    sizes = np.sqrt(np.add.reduceat(np.append(values**2, 0), indptr[:-1]) * (np.diff(indptr) > 0))
    values /= np.repeat(np.where(sizes > 0, sizes, 1), np.diff(indptr))
    return csr_matrix((values, columns_of[kept], indptr), shape=(counts.shape[0], len(columns.buckets)))


def _listed_words(texts: Sequence[str], most: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the buckets of n-grams of words in CSR form."""
    data, starts = joined(" ".join(WORD.findall(text.lower())) for text in texts)
    longest = int(np.diff(starts).max(initial=0))
    found = np.empty((len(data) // 2 + len(texts) + 1) * most, np.int32)
    indptr = np.zeros(len(texts) + 1, np.int64)
    list_words(data, starts, (most, BUCKETS), np.empty(longest // 2 + 1, np.uint64), indptr, found)
    return indptr, found[: indptr[-1]]


def _listed_characters(texts: Sequence[str], most: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the buckets of n-grams of characters in CSR form."""
    data, starts = joined(BLANKS.sub("▁", f" {text} ") for text in texts)
    none = np.zeros(0, np.int64)
    no_words = Dictionary.of_words(np.zeros(0, np.uint8), none, none, none)  # each text is an unknown word
    found = features_of(data, starts, no_words, Rules(1, most, 1, BUCKETS, -1), threads=1)
    return found.indptr, found.ids


KINDS = (Kind(2, 0), Kind(0, 5))


@dataclasses.dataclass(frozen=True, eq=False)
class NgramModel:
    """Which n-grams have a column, and the weights of labels.

    Attributes:
        columns: The n-grams of each kind.
        weights: (columns + 1, labels) float32; the last row is that of a constant 1.
    """

    columns: Sequence[Columns]
    weights: NDArray[np.float32]

    def scores(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the scores of labels, from below -1 (not) to above 1: (n, labels) float32."""
        pieces = [texts[begin : begin + TEXTS_AT_ONCE] for begin in range(0, len(texts), TEXTS_AT_ONCE)]
        found = [self.scores_of(counted(piece)) for piece in pieces]
        return np.concatenate([*found, np.zeros((0, self.weights.shape[1]), np.float32)])

    def scores_of(self, counts: Sequence[Any]) -> NDArray[np.float32]:
        """Return the scores of texts by the counts of their n-grams."""
        matrix = matrix_of(counts, self.columns)
        found = np.empty((len(matrix.indptr) - 1, self.weights.shape[1]), np.float32)
        map_ranges(
            lambda begin, end: score_texts(matrix, self.weights, begin, end, found), split_range(len(found), minimum=64)
        )
        return found


def counted(texts: Sequence[str]) -> list[Any]:
    """Return how often each text has each n-gram, for each kind."""
    return [kind.counts(texts) for kind in KINDS]


def learn_ngrams(
    counts: Sequence[Any],
    targets: Targets,
    labels: int,
    *,
    seed: int,
    max_passes: int = MAX_PASSES,
    tolerance: float = TOLERANCE,
) -> NgramModel:
    """Learn a linear model from the counts of n-grams and the labels of texts.

    Args:
        counts: of `counted`.
        targets: Labels of texts as numbers, and what an error costs.
        labels: Number of labels.
        seed: Of the order of texts.
        max_passes: Most passes over the texts.
        tolerance: A pass is the last one if its squared steps are at most this part of those of the first.
    """
    most = max(1, MAX_WEIGHTS // (len(KINDS) * labels))
    columns = [choose_columns(kind, each, most=most) for kind, each in zip(KINDS, counts, strict=True)]
    matrix = matrix_of(counts, columns)
    size, number = sum(len(each.buckets) for each in columns), len(targets.costs)
    weights = np.zeros((size + 1, labels), np.float32)
    alphas = np.zeros((number, labels), np.float32)
    generator, first = np.random.default_rng(seed), 0.0
    steps = np.zeros(labels, np.float32), np.zeros(labels, np.float32)
    for _ in range(max_passes):
        moved = learn_hinge(matrix, targets, generator.permutation(number), weights, alphas, steps)
        first = first or moved
        if moved <= tolerance * first:
            break
    return NgramModel(columns, weights)

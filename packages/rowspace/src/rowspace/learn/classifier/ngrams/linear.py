"""`NgramModel`: a linear model on TF-IDF of n-grams."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace.learn.classifier.ngrams.features import Columns, Kind, choose_columns, matrix_of
from rowspace.learn.classifier.ngrams.kernels import Targets, learn_hinge, score_texts

__all__ = ["KINDS", "NgramModel", "counted", "learn_ngrams"]

KINDS = (Kind(2, 0), Kind(0, 5))
MAX_WEIGHTS = 1 << 28  # 1 GB
MAX_PASSES, TOLERANCE = 30, 1e-3
TEXTS_AT_ONCE = 1024


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

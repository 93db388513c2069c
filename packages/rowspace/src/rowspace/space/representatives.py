"""Representative words: those nearest to the centers of clusters, before word pieces, special and unused tokens.

They are for tables without counts, where it is unknown which words are frequent.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.space.kmeans import Clusters, k_means
from rowspace.space.similarity import BLOCK_BYTES, unit_rows

__all__ = ["central_words", "representative_order", "token_classes"]

CLUSTERS = 64
"""The number of groups of `representative_order`."""
WORD, SHORT, PIECE, SPECIAL = range(4)
_SPECIAL = re.compile(r"\[[A-Za-z_]+\d*\]|<\|.*\|>|<[^<>\s]+>")
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_STARTS = ("Ġ", "▁")  # word-start markers of GPT-2 and SentencePiece
_MARKED = 0.1  # above this share of marked tokens, the others are pieces


def token_classes(vocabulary: Sequence[str]) -> NDArray[np.uint8]:
    """Return the class of each token, (V,): 0 a word, 1 numbers, signs and single letters, 2 a piece, 3 special.

    Pieces are `##ing` and byte tokens and, in a vocabulary with word-start markers (`Ġthe`, `▁the`), all tokens without
    the marker. Special tokens are those in brackets, such as `[PAD]`, `[unused0]`, `<s>` and `<|endoftext|>`, and the
    empty token.

    >>> token_classes(["[PAD]", "[unused0]", "cat", "##s", "7", "<0x0A>", "don't"])
    array([3, 3, 0, 2, 1, 2, 0], dtype=uint8)
    >>> token_classes(["Ġthe", "ing", "Ġ"])
    array([0, 2, 1], dtype=uint8)
    """
    marked = sum(token.startswith(_STARTS) for token in vocabulary) > _MARKED * len(vocabulary)
    return np.fromiter((_class_of(token, marked) for token in vocabulary), np.uint8, len(vocabulary))


def central_words(
    rows: NDArray[np.floating[Any]], clusters: Clusters, vocabulary: Sequence[str], count: int = 3
) -> list[list[int]]:
    """Return, for each cluster, the ids of the `count` tokens nearest to its center by cosine, words first.

    >>> rows = np.array([[1, 0.1], [0.1, 5], [3, 0], [9, 0.4]])
    >>> central_words(rows, k_means(rows, 2), ["[PAD]", "b", "cat", "dog"], 2)
    [[3, 2], [1]]
    """
    order = _by_cluster(rows, clusters, token_classes(vocabulary))
    starts = np.searchsorted(clusters.labels[order], np.arange(len(clusters.centers) + 1))
    return [order[start:end][:count].tolist() for start, end in pairwise(starts)]


def representative_order(rows: NDArray[np.floating[Any]], vocabulary: Sequence[str], *, seed: int = 0) -> NDArray[Any]:
    """Return all ids (V,), the most representative first: of each of 64 clusters, the word nearest to its center.

    The second nearest of each cluster follow, and so on; then numbers and signs in the same order, then pieces, then
    special tokens, and finally rows without a direction. Errors are those of `k_means`.
    """
    classes = token_classes(vocabulary)
    clusters = k_means(rows, CLUSTERS, seed=seed)
    order = _by_cluster(rows, clusters, classes)
    labels, kinds = clusters.labels[order], classes[order]
    first = np.flatnonzero(np.diff(labels, prepend=-2) | np.diff(kinds.astype(int), prepend=-1))  # of each run
    place = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return order[np.lexsort((labels, place, kinds, labels < 0))]


def _class_of(token: str, marked: bool) -> int:
    if not token or _SPECIAL.fullmatch(token):
        return PIECE if _BYTE.fullmatch(token) else SPECIAL
    bare = token.removeprefix("Ġ").removeprefix("▁")
    if (token.startswith("##") and len(token) > 2) or (marked and bare == token):
        return PIECE
    return WORD if sum(map(str.isalpha, bare)) > max(1, len(bare) / 2) else SHORT


def _by_cluster(rows: NDArray[np.floating[Any]], clusters: Clusters, classes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return all ids sorted by cluster, class and distance to the center; those with label -1 are first."""
    nearness = np.zeros(len(rows))
    step = max(1, BLOCK_BYTES // (8 * rows.shape[1]))
    for start in range(0, len(rows), step):
        span = slice(start, start + step)
        inside = clusters.labels[span] >= 0
        centers = clusters.centers[clusters.labels[span][inside]]
        nearness[span][inside] = np.vecdot(unit_rows(rows[span][inside]), centers)
    return np.lexsort((-nearness, classes, clusters.labels))

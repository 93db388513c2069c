"""`cluster_texts`: texts → clusters by the angles of their vectors, each with the words that stand out in it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_texts, check_whole_number
from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.encoder import Encoder
from rowspace.errors import CorpusError, UsageError
from rowspace.learn.fit import fit
from rowspace.space import k_means
from rowspace.table import Table
from rowspace.text.characters import character_table, utf8
from rowspace.text.words import Lexicon

__all__ = ["TextClusters", "cluster_texts"]

MOST_CLUSTERS = 100  # by default
EPOCH_CHARACTERS = 200_000_000  # that a table is learned from: small texts are read more often
MOST_WORDS = 50_000  # that can be labels, the most frequent
COMMON = 0.2  # of its share in all texts, in three of four clusters: a word that is in most of them
LAST = 1e-9  # by which the scores of common words are multiplied


class TextClusters(NamedTuple):
    """Clusters of n texts, the largest first.

    Attributes:
        labels: The cluster of each text, from 0; -1 for a text without a known word: int32 (n,).
        words: The words that stand out in each cluster, the most telling first.
        sizes: The number of texts of each cluster: int64 (clusters,).
        nearest: For each cluster the indices of the texts nearest to its center, at most 3.
    """

    labels: NDArray[np.int32]
    words: list[list[str]]
    sizes: NDArray[np.int64]
    nearest: list[list[int]]


def cluster_texts(
    texts: Iterable[str],
    table: Table | Encoder | ContextualEncoder | str | Path | None = None,
    *,
    clusters: int | None = None,
    words: int = 4,
    seed: int = 0,
) -> TextClusters:
    """Divide texts into clusters, and label each with its words.

    The vectors of the texts are divided by k-means on directions (`rowspace.space.k_means`). The words of a cluster
    are those with the largest p(word | cluster) · log(p(word | cluster) / p(word))²: frequent in it, and much more
    frequent than elsewhere. Words that are common in most clusters, such as "was", come after all others: those with
    p(word | cluster) of at least p(word) / 5 in three of four clusters.

    Args:
        texts: n texts.
        table: A table with a tokenizer or the path of one, which weighs words by SIF if it has their counts; or an
            encoder. By default a table is learned from the texts; a few hundred are too few for this.
        clusters: Their number; by default the square root of n / 2, at most 100.
        words: The number of words of each cluster.
        seed: Of the sample that the centers are learned from, and of the first centers.

    Raises:
        UsageError: A text is not a string, no text has a known word, or a number is out of range.
        CorpusError: No table can be learned from the texts.
        MissingExtraError: scikit-learn is not installed.
    """
    texts = list(texts) if not isinstance(texts, str) else [texts]
    check_texts(texts)
    count = min(MOST_CLUSTERS, max(2, round((len(texts) / 2) ** 0.5))) if clusters is None else clusters
    check_whole_number("clusters", count, 1, 2**31 - 1)
    check_whole_number("words", words, 1, MOST_WORDS)
    vectors = _encoder(table, texts).encode(texts)
    if not len(texts) or not np.any(vectors):
        raise UsageError(f"none of the {len(texts):,} texts has a word that the table has; choose another table")
    found = k_means(vectors, count, seed=seed)
    nearest = []
    for label, center in enumerate(found.centers):
        members = np.flatnonzero(found.labels == label)
        rows = vectors[members]
        cosines = rows @ center.astype(rows.dtype) / np.linalg.norm(rows, axis=1)
        nearest.append(members[np.argsort(-cosines, kind="stable")[:3]].tolist())
    sizes = np.bincount(found.labels[found.labels >= 0], minlength=len(found.centers))
    return TextClusters(found.labels, _telling_words(texts, found.labels, len(sizes), words), sizes, nearest)


def _encoder(
    table: Table | Encoder | ContextualEncoder | str | Path | None, texts: Sequence[str]
) -> Encoder | ContextualEncoder:
    if isinstance(table, Encoder | ContextualEncoder):
        return table
    if table is None:
        size = sum(map(len, texts))
        epochs = max(5, min(20, EPOCH_CHARACTERS // max(1, size)))
        try:
            table = fit(iter(texts), dim=100, epochs=epochs, min_count=2)
        except CorpusError as error:
            reason, advice = str(error).split(";")[0], "add texts, or give a table by --table (table= in Python)"
            raise CorpusError(f"no table can be learned from the texts ({reason}); {advice}") from error
    encoder = Encoder(table) if isinstance(table, Table) else Encoder.load(table)
    is_counted = encoder.options.mode == "rowspace" and encoder.table.counts is not None
    return Encoder(encoder.table, pooling="sif") if is_counted else encoder


def _telling_words(texts: Sequence[str], labels: NDArray[np.int32], clusters: int, count: int) -> list[list[str]]:
    """Return the words that stand out in each cluster."""
    lexicon = Lexicon(character_table(cased=False))
    data = [utf8(text) for text in texts]
    ids, _ = lexicon.scan(b"".join(data), np.cumsum([len(text) for text in data]))
    cluster_of = np.repeat(labels, np.diff(np.flatnonzero(ids == -1), prepend=-1) - 1)
    ids = ids[ids >= 0]
    frequent = np.argsort(-lexicon.counts(), kind="stable")[:MOST_WORDS]
    rank = np.full(len(lexicon), -1, np.int64)
    rank[frequent] = np.arange(len(frequent))
    kept = (rank[ids] >= 0) & (cluster_of >= 0)
    pairs = cluster_of[kept].astype(np.int64) * len(frequent) + rank[ids[kept]]
    counts = np.bincount(pairs, minlength=clusters * len(frequent)).reshape(clusters, len(frequent))
    in_all = counts.sum(0) / max(1, counts.sum())
    spelled = lexicon.all_words()
    names, shares = [], counts / np.maximum(1, counts.sum(1, keepdims=True))
    is_common = np.partition(shares, clusters // 4, axis=0)[clusters // 4] >= in_all * COMMON
    for in_cluster in shares:
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(in_cluster > in_all, in_cluster * np.log(in_cluster / in_all) ** 2, 0)
        scores[is_common] *= LAST
        best = [index for index in np.argsort(-scores, kind="stable")[:count] if scores[index] > 0]
        names.append([spelled[frequent[index]].decode() for index in best])
    return names

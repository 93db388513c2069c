"""The figures of the Words page."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.lab.pages.words.replies import (
    Clusters,
    Compared,
    Distances,
    Ids,
    Map,
    Neighbors,
    Pca,
    Preservation,
    Searched,
    Values,
    WordRows,
    WordTokens,
)
from rowspace.table import Table


def tokens_figure(table: Table, *, ids: Sequence[int]) -> WordTokens:
    """Tokens by their ids, with the norm of each and how often it was seen."""
    return {
        "ids": np.array(ids, np.int64),
        "tokens": [table.vocabulary[id] for id in ids],
        "norms": table.norms[np.array(ids, np.int64)].tolist(),
        "counts": None if table.counts is None else [int(table.counts[id]) for id in ids],
    }


def search_figure(table: Table, *, part: str, k: int) -> Searched:
    """The first k tokens that contain a part in any case: itself, those that begin with it, others."""
    folded = [token.casefold() for token in table]
    found = [id for id, token in enumerate(folded) if part in token]
    found.sort(key=lambda id: (folded[id] != part, not folded[id].startswith(part)))
    return {"found": len(found), **tokens_figure(table, ids=found[:k])}


def word_row(table: Table, word: str) -> NDArray[np.floating[Any]]:
    """The row of a word; that of a word outside the vocabulary is computed from its n-grams."""
    composed = table.subwords.row(word) if table.subwords is not None and word not in table else None
    return table[word] if composed is None else composed


def rows_figure(table: Table, *, words: Sequence[str]) -> WordRows:
    """The rows of words, and the magnitude that fills a bar: the largest in any of them."""
    rows = np.stack([word_row(table, word) for word in words])
    ids = [table.id(word) if word in table else -1 for word in words]
    counts = table.counts
    return {
        "rows": rows,
        "norms": space.row_norms(rows),
        "ids": np.array(ids),
        "limit": np.abs(rows[np.isfinite(rows)]).max(initial=0),
        "counts": None if counts is None else [int(counts[id]) if id >= 0 else None for id in ids],
    }


def neighbors_figure(table: Table, *, word: str, k: int, metric: space.Metric) -> Neighbors:
    """The k nearest tokens of the whole table with their scores, nearest first."""
    found = table.neighbors(word if word in table else word_row(table, word), k=k, metric=metric)
    ids = table.ids([token for token, _ in found]).tolist()
    return {"scores": np.array([score for _, score in found]), **tokens_figure(table, ids=ids)}


def compared_figure(table: Table, *, words: Sequence[str], metric: space.Metric) -> Compared:
    """How near each word is to each, (n, n)."""
    rows = np.stack([word_row(table, word) for word in words])
    return {"matrix": space.score(rows, rows, metric=metric)}


def distances_figure(table: Table, *, words: Sequence[str]) -> Distances:
    """Distances from the first word to the others, and how many times closer the nearest is than the farthest."""
    rows = np.stack([word_row(table, word) for word in words])
    distances = space.euclidean(rows[0], rows[1:])
    comparable = len(distances) and distances.min() > 0
    return {"distances": distances, "times": distances.max() / distances.min() if comparable else None}


def project(table: Table) -> space.Projection:
    """All rows along their two principal components."""
    return space.pca(table.rows, min(2, table.dim))


def pca_figure(projection: space.Projection) -> Pca:
    """The positions of all rows, and each component's share of the variance."""
    positions = projection.positions
    return {"positions": positions, "share": projection.share, "left_out": int(np.isnan(positions[:, 0]).sum())}


def map_quality_figure(table: Table, projection: space.Projection, *, k: int) -> Preservation:
    """The share of rows' k nearest by cosine that are among their k nearest on the map."""
    found = space.neighborhood_preservation(table.rows, projection.positions, k)
    return {"preserved": np.array(found.share), "by_chance": found.by_chance, "k": found.k, "sample": len(found.sample)}


def tsne_figure(table: Table, *, perplexity: int, sample: int | None) -> Map:
    """The map of t-SNE."""
    return place_all(table.rows, space.tsne(table.rows, perplexity=perplexity, sample=sample))


def umap_figure(table: Table, *, num_neighbors: int, sample: int | None) -> Map:
    """The map of UMAP."""
    return place_all(table.rows, space.umap(table.rows, num_neighbors=num_neighbors, sample=sample))


def place_all(rows: NDArray[Any], positions: NDArray[Any]) -> Map:
    """Rows outside the sample are placed next to the mapped row that is nearest to them."""
    return measure_map(rows, space.place_others(rows, positions))


def measure_map(rows: NDArray[Any], positions: NDArray[Any]) -> Map:
    """A map with the share of rows' nearest by cosine that are among their nearest on the map."""
    found = space.neighborhood_preservation(rows, positions)
    return {
        "positions": positions,
        "preserved": found.share,
        "by_chance": found.by_chance,
        "k": found.k,
        "sample": len(found.sample),
    }


def norms_figure(table: Table) -> Values:
    """The norm of each row."""
    return {"values": table.norms.astype(np.float32)}


def counts_figure(table: Table) -> Values:
    """How often each token was seen."""
    return {"values": np.array(table.counts)}


def clusters_figure(table: Table, *, clusters: int) -> Clusters:
    """The cluster of each row, named by the words nearest to its center."""
    found = space.k_means(table.rows, clusters)
    central = space.central_words(table.rows, found, table.vocabulary)
    return {
        "values": found.labels,
        "names": [[table.vocabulary[id] for id in ids] for ids in central],
        "sizes": np.bincount(found.labels[found.labels >= 0]).tolist(),
    }


def by_count_figure(table: Table) -> Ids:
    """The most frequent tokens first."""
    return {"ids": np.argsort(-np.array(table.counts), kind="stable")}


def by_center_figure(table: Table) -> Ids:
    """Words nearest to the centers of clusters first, pieces and special tokens last."""
    return {"ids": space.representative_order(table.rows, table.vocabulary)}

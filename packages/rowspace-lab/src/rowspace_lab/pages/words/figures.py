"""The figures of the Words page."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table
from rowspace_lab.experiments import place_others
from rowspace_lab.pages.words.map_replies import Clusters, Ids, Map, Pca, Preservation, Values
from rowspace_lab.pages.words.replies import Compared, Distances, Neighbors, Searched, WordRows, WordTokens
from rowspace_lab.shared.directions import compared_norms

FREQUENT = 2000
"""The number of the most frequent words that represent regions of the map."""


def tokens_figure(table: Table, *, ids: Sequence[int]) -> WordTokens:
    """Return tokens by their ids, with norms and counts."""
    return {
        "ids": np.array(ids, np.int64),
        "tokens": [table.vocabulary[id] for id in ids],
        "norms": table.norms[np.array(ids, np.int64)].tolist(),
        "counts": None if table.counts is None else [int(table.counts[id]) for id in ids],
    }


def search_figure(table: Table, *, part: str, k: int) -> Searched:
    """Find the first k tokens that contain `part`, ignoring case: equal ones, those that begin with it, then others."""
    folded = [searched_text(table, token) for token in table]
    found = [id for id, token in enumerate(folded) if part in token]
    found.sort(key=lambda id: (folded[id] != part, not folded[id].startswith(part)))
    return {"found": len(found), **tokens_figure(table, ids=found[:k])}


def searched_text(table: Table, token: str) -> str:
    """Return the text of a token in which parts are searched, casefolded and with blanks as they are typed."""
    shown = table.shown(token)
    return token.casefold() if shown == token else shown.replace("␣", " ").casefold()


def word_row(table: Table, word: str) -> NDArray[np.floating[Any]]:
    """Return the row of a word, computed from its n-grams if it is outside the vocabulary."""
    composed = table.subwords.row(word) if table.subwords is not None and word not in table else None
    return table[word] if composed is None else composed


def rows_figure(table: Table, *, words: Sequence[str]) -> WordRows:
    """Return the rows of words, and the largest magnitude in them, which is the common scale."""
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
    """Find the k nearest tokens of the table with their scores, nearest first; no rows of zeros by cosine."""
    row = word_row(table, word)[np.newaxis]
    exclude = np.array([[table.id(word)]]) if word in table else None
    norms = compared_norms(table, metric)
    found, scores = space.nearest(row, table.rows, k, metric=metric, exclude=exclude, row_norms=norms)
    ids = found[0][found[0] >= 0]
    return {"scores": scores[0, : len(ids)], **tokens_figure(table, ids=ids.tolist())}


def compared_figure(table: Table, *, words: Sequence[str], metric: space.Metric) -> Compared:
    """Compute the pairwise similarities of the words, (n, n); NaN for the cosine of a row of zeros."""
    rows = np.stack([word_row(table, word) for word in words])
    matrix = space.score(rows, rows, metric=metric)
    if metric == "cosine":
        zero = ~rows.any(axis=1)
        matrix[zero] = matrix[:, zero] = np.nan
    return {"matrix": matrix}


def distances_figure(table: Table, *, words: Sequence[str]) -> Distances:
    """Compute the distances from the first word to the others, and the ratio of the largest to the smallest."""
    rows = np.stack([word_row(table, word) for word in words])
    distances = space.euclidean(rows[0], rows[1:])
    comparable = len(distances) and distances.min() > 0
    return {"distances": distances, "times": distances.max() / distances.min() if comparable else None}


def project(table: Table) -> space.Projection:
    """Project all rows onto their first two principal components."""
    return space.pca(table.rows, min(2, table.dim))


def pca_figure(projection: space.Projection) -> Pca:
    """Return the positions of all rows, and each component's share of the variance."""
    positions = projection.positions
    return {"positions": positions, "share": projection.share, "left_out": int(np.isnan(positions[:, 0]).sum())}


def map_quality_figure(table: Table, projection: space.Projection, *, k: int) -> Preservation:
    """Compute the share of rows' k nearest neighbors by cosine that are among their k nearest on the map."""
    found = space.neighborhood_preservation(table.rows, projection.positions, k)
    return {"preserved": np.array(found.share), "by_chance": found.by_chance, "k": found.k, "sample": len(found.sample)}


def tsne_figure(table: Table, *, perplexity: int, sample: int | None) -> Map:
    """Compute a t-SNE map of all rows."""
    return place_all(table.rows, space.tsne(table.rows, perplexity=perplexity, sample=sample))


def umap_figure(table: Table, *, num_neighbors: int, sample: int | None) -> Map:
    """Compute a UMAP map of all rows."""
    return place_all(table.rows, space.umap(table.rows, num_neighbors=num_neighbors, sample=sample))


def place_all(rows: NDArray[Any], positions: NDArray[Any]) -> Map:
    """Place each row outside the sample next to its nearest mapped row, and measure the map."""
    return measure_map(rows, place_others(rows, positions))


def measure_map(rows: NDArray[Any], positions: NDArray[Any]) -> Map:
    """Return the map with the share of rows' nearest neighbors by cosine that it preserves."""
    found = space.neighborhood_preservation(rows, positions)
    return {
        "positions": positions,
        "preserved": found.share,
        "by_chance": found.by_chance,
        "k": found.k,
        "sample": len(found.sample),
    }


def norms_figure(table: Table) -> Values:
    """Return the norm of each row."""
    return {"values": table.norms.astype(np.float32)}


def counts_figure(table: Table) -> Values:
    """Return the count of each token."""
    return {"values": np.array(table.counts)}


def clusters_figure(table: Table, *, clusters: int) -> Clusters:
    """Cluster the rows with k-means, and name each cluster by the words nearest to its center."""
    found = space.k_means(table.rows, clusters)
    central = space.central_words(table.rows, found, table.vocabulary)
    frequent = frequent_ids(table)
    named = space.central_words(
        table.rows[frequent],
        space.Clusters(found.labels[frequent], found.centers),
        [table.vocabulary[int(id)] for id in frequent],
        2,
    )
    return {
        "values": found.labels,
        "names": [[table.vocabulary[id] for id in ids] for ids in central],
        "regions": [[table.vocabulary[int(frequent[at])] for at in places] for places in named],
        "sizes": np.bincount(found.labels[found.labels >= 0]).tolist(),
    }


def frequent_ids(table: Table) -> NDArray[np.int64]:
    """Return the ids of the most frequent words, ascending; all ids without counts, or in a table of few words."""
    words = np.flatnonzero((space.token_classes(table.vocabulary) == 0) & np.isfinite(table.norms) & (table.norms > 0))
    if table.counts is None or len(words) < FREQUENT:
        return np.arange(len(table))
    return np.sort(words[np.argsort(-np.array(table.counts)[words], kind="stable")[:FREQUENT]])


def by_count_figure(table: Table) -> Ids:
    """Order the ids by count, most frequent first."""
    return {"ids": np.argsort(-np.array(table.counts), kind="stable")}


def by_center_figure(table: Table) -> Ids:
    """Order the ids: words nearest to cluster centers first, pieces and special tokens last."""
    return {"ids": space.representative_order(table.rows, table.vocabulary)}

"""The routes for the map of the Words page: positions, quality, colors, order of labels, and tokens by id."""

from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from typing import Literal

from rowspace import space
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words import figures
from rowspace_lab.pages.words.map_replies import (
    ClustersReply,
    MapQualityReply,
    OrderReply,
    PcaReply,
    StoredMapReply,
    ValuesReply,
)
from rowspace_lab.pages.words.replies import WordTokensReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["routes"]

MAX_TOKENS = 1000
IN_BACKGROUND = range(100, 100_001)
"""The rows of a table whose UMAP is computed without a request: enough for neighborhoods, but not a long wait."""


def pca(lab: Lab, _: Query, *, in_background: bool) -> PcaReply:
    """Return the positions of all rows on their two principal components, (V, 2), or (V, 1) if the dimension is 1."""
    figure = partial(figures.pca_figure)
    code = shown(lab, figure, projection=partial(figures.project))
    expected = in_background and len(lab.table) in IN_BACKGROUND and find_spec("umap") is not None
    stored = lab.stored_map is not None
    umap: Literal["stored", "expected", "on request"] = "stored" if stored else "expected" if expected else "on request"
    return {**figure(_projection(lab)), "umap": umap, "code": code}


def stored_umap(lab: Lab, _: Query) -> StoredMapReply:
    """Return the map by UMAP that belongs to the table, with the share of neighbors that it preserves."""
    stored = lab.stored_map
    if stored is None:
        raise UsageError("no map of this table is stored; start a job that computes one")
    measured = lab.cached("words/stored-umap", lambda: figures.measure_map(lab.table.rows, stored.positions))
    return {**measured, "code": stored.code}


def map_quality(lab: Lab, query: Query) -> MapQualityReply:
    """Return the share of rows' `k` nearest neighbors by cosine that the map of `pca` preserves."""
    figure = partial(figures.map_quality_figure, k=query.integer("k", 10, low=1, high=100))
    found = lab.cached(("map quality", figure.keywords["k"]), lambda: figure(lab.table, _projection(lab)))
    return {**found, "code": shown(lab, figure, projection=partial(figures.project))}


def values(lab: Lab, query: Query) -> ValuesReply | ClustersReply:
    """Return a value for each row, by "norm", "count" or "cluster" with a number of `clusters`."""
    by = query.choice("by", ("norm", "count", "cluster"))
    if by == "cluster":
        clusters = partial(figures.clusters_figure, clusters=query.integer("clusters", 8, low=2, high=8))
        found = lab.cached(("clusters", clusters.keywords["clusters"]), lambda: clusters(lab.table))
        return {**found, "by": "cluster", "code": shown(lab, clusters)}
    if by == "count" and lab.table.counts is None:
        raise UsageError("this table has no counts; color by norm or cluster, or learn a table with rowspace fit")
    figure = partial(figures.norms_figure if by == "norm" else figures.counts_figure)
    return {**figure(lab.table), "by": "norm" if by == "norm" else "count", "code": shown(lab, figure)}


def tokens(lab: Lab, query: Query) -> WordTokensReply:
    """Return the tokens, counts and norms of comma-separated `ids`."""
    ids = query.integers("ids", [0], low=0, high=len(lab.table) - 1, limit=MAX_TOKENS)
    figure = partial(figures.tokens_figure, ids=ids)
    return {**figure(lab.table), "code": shown(lab, figure)}


def order(lab: Lab, _: Query) -> OrderReply:
    """Return all ids in the order in which they are labeled, by count, or by "center" if the table has no counts."""
    counted = lab.table.counts is not None
    figure = partial(figures.by_count_figure if counted else figures.by_center_figure)
    found = lab.cached("words/order", lambda: figure(lab.table))
    return {**found, "by": "count" if counted else "center", "code": shown(lab, figure)}


def _projection(lab: Lab) -> space.Projection:
    return lab.cached("pca", lambda: figures.project(lab.table))


def routes(*, in_background: bool) -> Mapping[str, Handler]:
    """Return the routes; with `in_background`, the page computes UMAP of a table while it shows PCA."""
    return {
        "words/pca": partial(pca, in_background=in_background),
        "words/stored-umap": stored_umap,
        "words/map-quality": map_quality,
        "words/values": values,
        "words/tokens": tokens,
        "words/order": order,
    }

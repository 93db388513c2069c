"""The map of the Words page: where all rows lie, how far to trust that, what colors them, what is under a lasso."""

from collections.abc import Mapping
from functools import partial

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.words import figures
from rowspace.lab.pages.words.replies import (
    ClustersReply,
    MapQualityReply,
    OrderReply,
    PcaReply,
    ValuesReply,
    WordTokensReply,
)
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown

__all__ = ["ROUTES"]

MOST_TOKENS = 1000


def pca(lab: Lab, _: Query) -> PcaReply:
    """The positions of all rows along their two principal components; those of a table of one dimension are (V, 1)."""
    figure = partial(figures.pca_figure)
    return {**figure(_projection(lab)), "code": shown(lab, figure, projection=partial(figures.project))}


def map_quality(lab: Lab, query: Query) -> MapQualityReply:
    """`k` → the share of rows' k nearest by cosine that are among their k nearest on the map of `pca`."""
    figure = partial(figures.map_quality_figure, k=query.integer("k", 10, low=1, high=100))
    found = lab.cached(("map quality", figure.keywords["k"]), lambda: figure(lab.table, _projection(lab)))
    return {**found, "code": shown(lab, figure, projection=partial(figures.project))}


def values(lab: Lab, query: Query) -> ValuesReply | ClustersReply:
    """`by`: "norm", "count" or "cluster", with `clusters` → a value for each row."""
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
    """`ids`, numbers with commas between → the token, count and norm of each."""
    ids = query.integers("ids", [0], low=0, high=len(lab.table) - 1, most=MOST_TOKENS)
    figure = partial(figures.tokens_figure, ids=ids)
    return {**figure(lab.table), "code": shown(lab, figure)}


def order(lab: Lab, _: Query) -> OrderReply:
    """All ids, those first that are labeled first; `by` says why: "center" for a table without counts."""
    counted = lab.table.counts is not None
    figure = partial(figures.by_count_figure if counted else figures.by_center_figure)
    found = lab.cached("words/order", lambda: figure(lab.table))
    return {**found, "by": "count" if counted else "center", "code": shown(lab, figure)}


def _projection(lab: Lab) -> space.Projection:
    return lab.cached("pca", lambda: figures.project(lab.table))


ROUTES: Mapping[str, Answer] = {
    "words/pca": pca,
    "words/map-quality": map_quality,
    "words/values": values,
    "words/tokens": tokens,
    "words/order": order,
}

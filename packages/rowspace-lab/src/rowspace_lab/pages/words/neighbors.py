"""The routes of the Words page for search, rows, nearest neighbors, similarities and distances."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace.space.similarity import METRICS
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.figures import (
    compared_figure,
    distances_figure,
    neighbors_figure,
    rows_figure,
    search_figure,
    searched_text,
    tokens_figure,
    word_row,
)
from rowspace_lab.pages.words.replies import ComparedReply, DistancesReply, NeighborsReply, SearchReply, WordRowsReply
from rowspace_lab.pages.words.substring_index import SubstringIndex
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.shared.directions import check_direction
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

MAX_WORDS = 8


def search(lab: Lab, query: Query) -> SearchReply:
    """Return the first `k` tokens that contain `part`, ignoring case, using an index."""
    part = _typed(lab.table, query.text("part", ""))
    figure = partial(search_figure, part=part, k=query.integer("k", 12, low=1, high=200))
    index = lab.cached("words/substrings", lambda: _index(lab.table))
    ids, found = index.find(**figure.keywords)
    return {"found": found, **tokens_figure(lab.table, ids=ids.tolist()), "code": shown(lab, figure)}


def rows(lab: Lab, query: Query) -> WordRowsReply:
    """Return the rows of one or more `word` parameters."""
    words = _words(lab, query)
    figure = partial(rows_figure, words=words)
    return {**figure(lab.table), "words": words, "code": shown(lab, figure)}


def neighbors(lab: Lab, query: Query) -> NeighborsReply:
    """Return the `k` nearest tokens of `word` by `metric` with their scores, nearest first."""
    (default,) = default_words(lab.table, 1)
    word = query.text("word", default)
    if word in lab.table and not np.isfinite(lab.table.norms[lab.table.id(word)]):
        raise UsageError(f"the row of {word!r} contains NaN or infinity, so it has no neighbors; use another word")
    metric = query.choice("metric", METRICS)
    if metric != "euclidean":
        check_direction(lab.table, word, word_row(lab.table, word))
    k = query.integer("k", 10, low=1, high=200)
    figure = partial(neighbors_figure, word=word, k=k, metric=metric)
    return {**figure(lab.table), "word": word, "code": shown(lab, figure)}


def compare(lab: Lab, query: Query) -> ComparedReply:
    """Return the pairwise similarities of one or more `word` parameters by `metric`."""
    words = _words(lab, query)
    figure = partial(compared_figure, words=words, metric=query.choice("metric", METRICS))
    return {**figure(lab.table), "words": words, "code": shown(lab, figure)}


def distances(lab: Lab, query: Query) -> DistancesReply:
    """Return the Euclidean distances from the first of two or more `word` parameters to the others."""
    words = _words(lab, query)
    figure = partial(distances_figure, words=words)
    return {**figure(lab.table), "words": words, "code": shown(lab, figure)}


def _index(table: Table) -> SubstringIndex:
    texts = [searched_text(table, token) for token in table] if table.is_byte_level else table.vocabulary
    return SubstringIndex(texts)


def _typed(table: Table, part: str) -> str:
    """Return the part as it is searched: casefolded and, in a byte-level table, with a blank for its sign."""
    return (part.replace("␣", " ") if table.is_byte_level else part).casefold()


def _words(lab: Lab, query: Query) -> list[str]:
    """Return the words of the request without duplicates."""
    return list(dict.fromkeys(query.texts("word", default_words(lab.table, 4), limit=MAX_WORDS)))


ROUTES: Mapping[str, Handler] = {
    "words/search": search,
    "words/rows": rows,
    "words/neighbors": neighbors,
    "words/compare": compare,
    "words/distances": distances,
}

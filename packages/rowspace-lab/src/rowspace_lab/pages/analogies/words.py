"""The words among which a, b and c can be moved, on a map that stays the same while they move."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rowspace import space
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.analogies.answers import known_examples
from rowspace_lab.pages.analogies.replies import WordMap, WordMapReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

MAX_WORDS = 36


def words(lab: Lab, query: Query) -> WordMapReply:
    """Return the positions of the words of the examples, and of more `word` parameters, which do not move the map."""
    usual = default_words(lab.table, MAX_WORDS)
    examples = [word for four in known_examples(lab) for word in four]
    base = list(dict.fromkeys([*examples, *usual]))[:MAX_WORDS]
    finite = [word for word in base if np.isfinite(lab.table.norms[lab.table.id(word)])] or base[:1]
    more = [word for word in query.texts("word", base[:1], limit=8) if word not in finite]
    figure = partial(word_map_figure, base=finite, more=more)
    return {**figure(lab.table), "words": [*finite, *more], "code": shown(lab, figure)}


def word_map_figure(table: Table, *, base: Sequence[str], more: Sequence[str]) -> WordMap:
    """Project unit rows onto the two principal components of the base words."""
    rows = space.unit_rows(table[list(base)])
    found = space.pca(rows, min(2, table.dim))
    added = space.unit_rows(table[list(more)]) if more else np.zeros((0, table.dim))
    positions = (np.concatenate([rows, added]) - found.mean) @ found.components.T
    return {"positions": np.pad(positions, ((0, 0), (0, 2 - positions.shape[1]))), "share": found.share}


ROUTES: Mapping[str, Handler] = {"analogies/words": words}

"""Chosen words: representative words of the table to choose from, and a map of chosen words only, in groups."""

import re
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from rowspace import space
from rowspace.errors import RowspaceError, UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.figures import frequent_ids, word_row
from rowspace_lab.pages.words.graph import groups_text
from rowspace_lab.pages.words.map_replies import ChosenMap, ChosenMapReply, Palette, PaletteReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import MARKS, default_words
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

MAX_WORDS = 80
WELL_KNOWN = 6


def palette(lab: Lab, query: Query) -> PaletteReply:
    """Return `k` words of the table that represent it, to choose from and to name on the map."""
    k = query.integer("k", 30, low=1, high=60)
    figure = partial(palette_figure, known=default_words(lab.table, min(k, WELL_KNOWN)), k=k)
    return {**lab.cached(("words/palette", k), lambda: figure(lab.table)), "code": shown(lab, figure)}


def chosen_map(lab: Lab, query: Query) -> ChosenMapReply:
    """Return a map of the words in `groups` only: a group per line, "name: word word ..."; unknown words are named.

    A blank of a word is written "␣".
    """
    usual = " ".join(lab.table.shown(word).replace(" ", "␣") for word in default_words(lab.table, 6))
    groups = groups_of(query.text("groups", groups_text(lab) or usual, max_length=4000))
    words = list(dict.fromkeys(word for _, members in groups for word in members))
    if len(words) > MAX_WORDS:
        raise UsageError(f"groups must have at most {MAX_WORDS} words, not {len(words):,}")
    found = {word: marked for word in words if (marked := _in_table(lab.table, word)) is not None}
    own = [next(at for at, (_, members) in enumerate(groups) if word in members) for word in found]
    figure = partial(chosen_map_figure, words=list(found.values()))
    return {
        **figure(lab.table),
        "words": list(found.values()),
        "groups": own,
        "names": [name for name, _ in groups],
        "missing": [word for word in words if word not in found],
        "code": shown(lab, figure),
    }


def palette_figure(table: Table, *, known: Sequence[str], k: int) -> Palette:
    """Add to the known words one for each cluster of the frequent words' rows: the nearest to its center."""
    ids = table.ids(known).tolist()
    frequent = frequent_ids(table)
    rows = table.rows[frequent]
    directed = np.isfinite(table.norms[frequent]) & (table.norms[frequent] > 0)
    if k > len(ids) and directed.sum() > k:
        clusters = space.k_means(rows, k - len(ids))
        words = [table.vocabulary[int(id)] for id in frequent]
        central = space.central_words(rows, clusters, words, len(ids) + 1)
        fresh = [[id for id in frequent[places].tolist() if id not in ids] for places in central]
        ids += [found[0] for found in fresh if found]
    others = default_words(table, k)  # in a small table, or one with few directions
    ids = list(dict.fromkeys([*ids, *table.ids(others).tolist()]))[:k]
    return {"ids": np.array(ids), "tokens": [table.vocabulary[id] for id in ids]}


def chosen_map_figure(table: Table, *, words: Sequence[str]) -> ChosenMap:
    """Project the rows of the words onto the two principal components of these rows alone."""
    rows = np.array([word_row(table, word) for word in words], np.float64).reshape(len(words), table.dim)
    if not np.isfinite(rows).all(axis=1).any():
        return {"positions": np.full((len(words), 2), np.nan, np.float32), "share": np.zeros(2)}
    found = space.pca(rows, min(2, table.dim))
    missing = 2 - found.positions.shape[1]
    return {
        "positions": np.pad(found.positions, ((0, 0), (0, missing))),
        "share": np.pad(found.share, (0, missing)),
    }


def groups_of(text: str) -> list[tuple[str, list[str]]]:
    r"""Split "animals: cat dog" into a name and words, for each line; the name may be left out.

    >>> groups_of("animals: cat, dog\nking queen")
    [('animals', ['cat', 'dog']), ('group 2', ['king', 'queen'])]
    """
    groups: list[tuple[str, list[str]]] = []
    for line in filter(str.strip, text.split("\n")):
        name, colon, rest = line.rpartition(": ")
        words = [word for word in re.split(r"[\s,]+", rest) if word]
        groups.append((name.strip() if colon else f"group {len(groups) + 1}", words))
    return groups


def _in_table(table: Table, word: str) -> str | None:
    """Return the token of a word, with the mark of a word's beginning if the table has it; None if it has no row."""
    for text in (*(mark + word for mark in MARKS), word.replace("␣", " ")):
        if (token := table.find_shown(text)) is not None:
            return token
    try:
        word_row(table, word)
    except RowspaceError:
        return None
    return word


ROUTES: Mapping[str, Handler] = {"words/palette": palette, "words/chosen-map": chosen_map}

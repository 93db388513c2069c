"""`default_words`: the words that pages show by default."""

from collections.abc import Sequence

import numpy as np

from rowspace import space
from rowspace.table import Table

__all__ = ["MARKS", "default_words", "is_code"]

CODE = ("typeerror", "valueerror", "sin", "cos", "read", "write", "list", "int", "json")
ENGLISH = ("king", "queen", "man", "woman", "paris", "france", "cat", "dog", "the", "of")
"""Default words, if the table has them: identifiers for a table learned from code, else common English words."""
MARKS = ("", "Ġ", "▁")
"""Prefixes of tokens that begin a word: none, GPT-2's, and SentencePiece's."""
LOOKED_AT = 10_000  # tokens that are searched for default words


def default_words(table: Table, count: int, well_known: Sequence[str] | None = None) -> list[str]:
    """Return up to `count` default words: first the well-known ones of the table, then the words of its first rows.

    By default, the well-known words are identifiers for a table learned from code, else common English words. Numbers,
    pieces and special tokens come after words, and rows with NaN or infinity last.
    """
    finite = np.isfinite(table.norms)
    named = well_known if well_known is not None else CODE if is_code(table) else ENGLISH
    marked = [mark + word for mark in MARKS for word in named]
    known = [word for word in marked if word in table and finite[table.id(word)]][:count]
    if len(known) == count:
        return known
    first = np.concatenate([np.flatnonzero(finite)[:LOOKED_AT], np.flatnonzero(~finite)[:count]])
    tokens = [table.vocabulary[int(id)] for id in first]
    order = np.lexsort((space.token_classes(tokens), ~finite[first]))
    return list(dict.fromkeys([*known, *(tokens[at] for at in order)]))[:count]


def is_code(table: Table) -> bool:
    """Return whether the table was learned from code, as the default table is."""
    return "typeerror" in table and "valueerror" in table

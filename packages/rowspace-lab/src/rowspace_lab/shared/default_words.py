"""`default_words`: the words that pages show by default."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table

__all__ = ["MARKS", "default_words", "is_code", "is_learned"]

CODE = ("typeerror", "valueerror", "sin", "cos", "read", "write", "list", "int", "json")
ENGLISH = ("king", "queen", "man", "woman", "paris", "france", "cat", "dog", "the", "of")
"""Default words, if the table has them: identifiers for a table learned from code, else common English words."""
MARKS = ("", "Ġ", "▁")
"""Prefixes of tokens that begin a word: none, GPT-2's, and SentencePiece's."""
SPECIAL = 3
"""The class of special tokens in `rowspace.space.token_classes`."""
LOOKED_AT = 10_000  # tokens that are searched for default words


def default_words(table: Table, count: int, well_known: Sequence[str] | None = None) -> list[str]:
    """Return up to `count` default words: first the well-known ones of the table, then the words of its first rows.

    By default, the well-known words are identifiers for a table learned from code, else common English words. Numbers
    and pieces come after words. Special tokens and rows that were not learned (see `is_learned`) are left out, unless
    the table has no other tokens.
    """
    learned = is_learned(table)
    named = well_known if well_known is not None else CODE if is_code(table) else ENGLISH
    marked = [mark + word for mark in MARKS for word in named]
    known = [word for word in marked if word in table and learned[table.id(word)]][:count]
    if len(known) == count:
        return known
    tokens = [table.vocabulary[int(id)] for id in np.flatnonzero(learned)[:LOOKED_AT]]
    classes = space.token_classes(tokens)
    words = [tokens[at] for at in np.argsort(classes, kind="stable") if classes[at] != SPECIAL]
    return list(dict.fromkeys([*known, *words]))[:count] or tokens[:count] or [*table.vocabulary[:count]]


def is_learned(table: Table) -> NDArray[np.bool_]:
    """Return whether each row can be an example, (V,): it is finite, not zero, and its token has a count above 0.

    The counts are ignored if the table has none, or only zeros.
    """
    learned: NDArray[np.bool_] = np.isfinite(table.norms) & (table.norms > 0)
    if table.counts is not None and np.any(table.counts):
        learned &= np.asarray(table.counts) > 0
    return learned


def is_code(table: Table) -> bool:
    """Return whether the table was learned from code, as the default table is."""
    return "typeerror" in table and "valueerror" in table

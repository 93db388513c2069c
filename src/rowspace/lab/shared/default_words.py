"""`default_words`: the words of a table that pages show first."""

from collections.abc import Sequence

import numpy as np

from rowspace import space
from rowspace.table import Table

__all__ = ["MARKS", "default_words", "is_code"]

CODE = ("typeerror", "valueerror", "sin", "cos", "read", "write", "list", "int", "json")
ENGLISH = ("king", "queen", "man", "woman", "paris", "france", "cat", "dog", "the", "of")
"""What pages open with where the table has them: identifiers for a table of code, else common words."""
MARKS = ("", "Ġ", "▁")
"""How a token that begins a word is marked in tables of GPT-2's and SentencePiece's kind."""
LOOKED_AT = 10_000  # tokens, among which words are looked for that a page may open with


def default_words(table: Table, count: int, well_known: Sequence[str] | None = None) -> list[str]:
    """`count` words that a page may open with, or as many as the table has: well-known ones, then the first words.

    Well-known are identifiers for a table of code, else common words, or those that are named. Numbers, pieces and
    special tokens come after words, and rows that hold NaN or infinity last.
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
    """Whether the table holds a program's words, as that of the standard library does."""
    return "typeerror" in table and "valueerror" in table

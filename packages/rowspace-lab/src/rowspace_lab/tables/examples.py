"""Tables small enough to check by hand, written as exact numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import OwnText, TableChoice

__all__ = [
    "EXAMPLES",
    "FIVE_ITEMS",
    "FOUR_WORDS",
    "SIX_WORDS",
    "TWO_ARROWS",
    "four_words",
    "rows_lab",
    "table_code",
    "table_text",
]

Rows = Mapping[str, Sequence[float]]

SIX_WORDS: Rows = {
    "the": (-0.12, 0.05, 0.88),
    "cat": (0.72, -0.41, 0.15),
    "dog": (0.68, -0.38, 0.22),
    "sat": (-0.55, 0.62, -0.03),
    "house": (0.31, 0.15, -0.72),
    "on": (-0.08, 0.11, 0.79),
}
FOUR_WORDS: Rows = {
    "the": (0.5, 0.3, -0.1),
    "cat": (0.8, -0.2, 0.4),
    "sat": (0.1, 0.9, 0.3),
    "on": (-0.3, 0.5, 0.6),
}
FIVE_ITEMS: Rows = {
    "item0": (0.2, -0.1, 0.0),
    "item1": (0.0, 0.3, 0.1),
    "item2": (-0.2, 0.4, 0.5),
    "item3": (0.7, 0.0, -0.3),
    "item4": (0.1, 0.2, 0.2),
}
TWO_ARROWS: Rows = {"a": (3.0, 0.0), "b": (1.0, 0.0)}


def four_words() -> Table:
    """Return the table of four words, (4, 3)."""
    return Table(list(FOUR_WORDS), np.array(list(FOUR_WORDS.values())))


def table_text(rows: Rows) -> str:
    """Return the rows as text, a word and its numbers per line, as `typed.read_rows` reads them.

    >>> print(table_text({"cat": (0.72, -0.41), "on": (0, 1)}))
    cat 0.72 -0.41
    on 0.0 1.0
    """
    return "\n".join(" ".join([word, *(repr(float(number)) for number in row)]) for word, row in rows.items())


def table_code(rows: Rows) -> str:
    """Return the code that makes the table, for `Lab.code`.

    >>> print(table_code({"cat": (0.72, -0.41), "on": (0, 1)}))
    import rowspace as rs
    <BLANKLINE>
    table = rs.Table(
        ['cat', 'on'],
        [
            [0.72, -0.41],
            [0.0, 1.0],
        ],
    )
    """
    lines = "".join(f"        {list(map(float, row))},\n" for row in rows.values())
    return f"import rowspace as rs\n\ntable = rs.Table(\n    {list(rows)},\n    [\n{lines}    ],\n)"


def rows_lab(rows: Rows, title: str, id: str) -> Lab:
    """Return the `Lab` of rows that are written as numbers."""
    return Lab(Table(list(rows), np.array(list(rows.values()), float)), title, id, table_code(rows))


def _example(id: str, title: str, sentence: str, rows: Rows) -> TableChoice:
    def opened() -> Lab:
        return rows_lab(rows, title, id)

    return TableChoice(id, title, sentence, "example", opened, OwnText(table_text(rows)))


EXAMPLES = (
    _example("six-words", "Six words", "Six words with three numbers each, to check by hand.", SIX_WORDS),
    _example("four-words", "Four words", "Four words with three numbers each, to compute logits by hand.", FOUR_WORDS),
    _example("five-items", "Five items", "Five items with three numbers each, to look up by id.", FIVE_ITEMS),
    _example("two-arrows", "Two arrows", "Two rows in the same direction, one three times as long.", TWO_ARROWS),
)

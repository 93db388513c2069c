"""English words: a table learned from public-domain books, which belongs to the workbench."""

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.table import Table
from rowspace.text import WordTokenizer
from rowspace_lab.lab import Lab, StoredMap
from rowspace_lab.tables.choice import TableChoice

__all__ = ["ENGLISH", "english_codes", "english_map", "english_table"]

ID = "english-words"
TITLE = "English words"
CODE = "from rowspace_lab.tables.english import english_table\n\ntable = english_table()"
MAP_CODE = "from rowspace_lab.tables.english import english_map\n\npositions = english_map()"


def english_table() -> Table:
    """Return 10,000 English words with 100 numbers each and their counts, learned from 254 public-domain books.

    The rows were rounded to int8 with a scale for each row; `scripts/make_english_table.py` made them.

    >>> table = english_table()
    >>> table.rows.shape, [token for token, _ in table.neighbors("king", k=2)]
    ((10000, 100), ['prince', 'emperor'])
    """
    stored, (codes, scales) = _stored(), english_codes()
    rows = codes * scales[:, np.newaxis]
    words = str(stored["words"]).split()
    return Table(words, rows, stored["counts"].astype(np.int64), tokenizer=WordTokenizer(words).to_json())


def english_codes() -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the rows of `english_table` as they are stored: int8 (V, d), and the scale of each row (V,)."""
    return _stored()["codes"], _stored()["scales"]


def english_map() -> NDArray[np.float32]:
    """Return a map of the rows of `english_table` by `rowspace.space.umap`, (V, 2), rounded to float16."""
    return _stored()["map"].astype(np.float32)


@cache
def _stored() -> dict[str, NDArray[Any]]:
    with files(__package__).joinpath("english.npz").open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return dict(stored)


def _opened() -> Lab:
    return Lab(english_table(), TITLE, ID, CODE, StoredMap(english_map(), MAP_CODE))


ENGLISH = TableChoice(
    ID,
    TITLE,
    "10,000 words with 100 numbers each, learned from 254 public-domain books, with counts.",
    "example",
    _opened,
)
"""`TableChoice`: the table that the workbench shows first."""

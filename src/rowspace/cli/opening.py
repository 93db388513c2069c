"""What a command is given → what it works on: a path becomes a table, words become tokens of it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rowspace.cli.output import say

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["open_table", "tokens_of"]


def open_table(path: str, *, verify: bool = False, limit: int | None = None, key: str | None = None) -> "Table":
    """Open the table at `path`, in any format; raises as `rowspace.load` does."""
    from rowspace.store import load  # noqa: PLC0415  # numba and safetensors, which help can do without

    return load(path, verify=verify, limit=limit, key=key)


def tokens_of(table: "Table", words: Sequence[str]) -> list[str]:
    """Return the token of each word: itself or, where the table's text was lowercased, lowercased, which is said.

    Raises `UnknownTokenError`, with the nearest spellings, for a word that the table does not have, nor a row for.
    """
    return [_token_of(table, word) for word in words]


def _token_of(table: "Table", word: str) -> str:
    lowercased = word.lower()
    if word not in table and lowercased != word and _lowercases(table):
        _check_row(table, lowercased)
        say(f"{word!r} is looked up as {lowercased!r}: the text of this table was lowercased")
        return lowercased
    _check_row(table, word)
    return word


def _check_row(table: "Table", word: str) -> None:
    """Raise `UnknownTokenError` for a word that has no row, not even one made of its n-grams."""
    if table.subwords is None or table.subwords.row(word) is None:
        table.id(word)


def _lowercases(table: "Table") -> bool:
    """Whether the table's tokenizer.json lowercases, alone or among other steps."""
    if table.tokenizer is None:
        return False
    return '"Lowercase"' in json.dumps(json.loads(table.tokenizer).get("normalizer"))

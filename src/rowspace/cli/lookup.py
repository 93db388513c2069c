"""Arguments → what a command works on: a path → its table, words → tokens of the table."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rowspace.cli.output import message
from rowspace.errors import RowspaceError, UnknownTokenError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["open_table", "resolve_words"]

UNKNOWN = {"[UNK]", "<unk>"}  # tokens for text that a tokenizer does not know


def open_table(path: str, *, verify: bool = False, limit: int | None = None, key: str | None = None) -> "Table":
    """Open the table at `path`, in any format; arguments and errors are those of `rowspace.load`."""
    from rowspace.store import load  # not needed for help

    return load(path, verify=verify, limit=limit, key=key)


def resolve_words(table: "Table", words: Sequence[str]) -> list[str]:
    """Return the token of each word: itself, or its token in the table's tokenizer, with a message.

    That is the word lowercased or, in tables of pieces, with the mark of a word's beginning (`Ġ`, `▁`). Raises
    `UnknownTokenError`, with the nearest spellings, for a word that the table does not have, nor a row for, and
    `RowspaceError` for a token whose row is not finite.
    """
    tokens = [_token_of(table, word) for word in words]
    for token in tokens:
        if token in table and not np.isfinite(table.rows[table.id(token)]).all():
            raise RowspaceError(
                f"the row of {token!r} holds NaN or infinity; name another token, or learn the table again"
            )
    return tokens


def _token_of(table: "Table", word: str) -> str:
    lowercased = word.lower()
    if word not in table and lowercased != word and _lowercases(table):
        _check_row(table, lowercased)
        message(f"{word!r} is looked up as {lowercased!r}: the text of this table was lowercased")
        return lowercased
    if word not in table and table.subwords is None and table.tokenizer is not None:
        return _piece_of(table, word)
    _check_row(table, word)
    return word


def _check_row(table: "Table", word: str) -> None:
    """Raise `UnknownTokenError` for a word that has no row, not even one made of its n-grams."""
    if table.subwords is None or table.subwords.row(word) is None:
        table.id(word)


def _piece_of(table: "Table", word: str) -> str:
    """Return the token that the table's tokenizer makes of a whole word."""
    pieces = _pieces(table, word)
    if len(pieces) == 1 and pieces[0] in table and pieces[0] not in UNKNOWN:
        message(f"{word!r} is looked up as {pieces[0]!r}, the table's token for it")
        return pieces[0]
    try:
        table.id(word)
    except UnknownTokenError as error:
        if len(pieces) > 1 and not UNKNOWN.intersection(pieces):
            raise UnknownTokenError(f"{error}; its tokenizer makes {len(pieces)} of it: {' '.join(pieces)}") from error
        raise
    return word


def _pieces(table: "Table", word: str) -> list[str]:
    """Return the tokens of a word inside a text, without those of the space before it."""
    from rowspace.text import Tokenizer  # tokenizers, which help can do without

    try:
        encodings = Tokenizer.of_table(table).encode_with_offsets([word, f" {word}"])
    except RowspaceError:  # a tokenizer that does not open, or fails on the word, which stays unknown
        return []
    alone, after = (encoding.tokens for encoding in encodings)
    return after if len(after) <= len(alone) else alone


def _lowercases(table: "Table") -> bool:
    """Whether the table's tokenizer.json lowercases, alone or among other steps."""
    if table.tokenizer is None:
        return False
    return '"Lowercase"' in json.dumps(json.loads(table.tokenizer).get("normalizer"))

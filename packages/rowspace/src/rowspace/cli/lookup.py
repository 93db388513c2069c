"""Arguments → tables and tokens: a path → its table, words → tokens of the table."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rowspace.cli.output import message
from rowspace.errors import RowspaceError, UnknownTokenError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["open_table", "resolve_words"]

UNKNOWN = {"[UNK]", "<unk>"}  # tokens for unknown text


def open_table(path: str, *, verify: bool = False, limit: int | None = None, key: str | None = None) -> "Table":
    """Open the table at `path`, in any format; arguments and errors are those of `rowspace.load`."""
    from rowspace.store import load  # not needed for help

    return load(path, verify=verify, limit=limit, key=key)


def resolve_words(table: "Table", words: Sequence[str]) -> list[str]:
    """Return the token of each word: the word itself, or its token in the table's tokenizer, with a message.

    In a byte-level table, a word is also the text of a token (` king`) or what is shown of it (`␣king`). The token in
    the table's tokenizer is the lowercased word or, in tables of word pieces, the word with a word-start marker (`Ġ`,
    `▁`).

    Raises:
        UnknownTokenError: A word has no row; the message suggests similar spellings.
        RowspaceError: The row of a token is not finite.
    """
    tokens = [_token_of(table, word) for word in words]
    for token in tokens:
        if token in table and not np.isfinite(table.rows[table.id(token)]).all():
            raise RowspaceError(
                f"the row of {table.shown(token)!r} has NaN or infinity; use another token, or learn the table again"
            )
    return tokens


def _token_of(table: "Table", word: str) -> str:
    found = table.find_shown(word)
    if found is not None:
        return found
    lowercased = word.lower()
    if lowercased != word and _lowercases(table):
        _check_row(table, lowercased)
        message(f"{word!r} is looked up as {lowercased!r}: the text of this table was lowercased")
        return lowercased
    if table.subwords is None and table.tokenizer is not None:
        return _piece_of(table, word)
    _check_row(table, word)
    return word


def _check_row(table: "Table", word: str) -> None:
    """Raise `UnknownTokenError` for a word that has no row and none can be computed from its n-grams."""
    if table.subwords is None or table.subwords.row(word) is None:
        table.id(word)


def _piece_of(table: "Table", word: str) -> str:
    """Return the word's token, if the table's tokenizer does not split it; raise `UnknownTokenError` otherwise."""
    pieces = _pieces(table, word)
    if len(pieces) == 1 and pieces[0] in table and pieces[0] not in UNKNOWN:
        message(f"{word!r} is looked up as {table.shown(pieces[0])!r}, the table's token for it")
        return pieces[0]
    try:
        table.id(word)
    except UnknownTokenError as error:
        if len(pieces) > 1 and not UNKNOWN.intersection(pieces):
            raise UnknownTokenError(
                f"{error}; its tokenizer splits it: {' '.join(map(table.shown, pieces))}"
            ) from error
        raise
    return word


def _pieces(table: "Table", word: str) -> list[str]:
    """Return the tokens of a word in a text, without those of the space before it."""
    from rowspace.text import Tokenizer  # not needed for help

    try:
        encodings = Tokenizer.of_table(table).encode_with_offsets([word, f" {word}"])
    except RowspaceError:  # the tokenizer cannot be opened or fails on the word, which stays unknown
        return []
    alone, after = (encoding.tokens for encoding in encodings)
    return after if len(after) <= len(alone) else alone


def _lowercases(table: "Table") -> bool:
    """Whether the table's tokenizer.json lowercases, alone or among other steps."""
    if table.tokenizer is None:
        return False
    return '"Lowercase"' in json.dumps(json.loads(table.tokenizer).get("normalizer"))

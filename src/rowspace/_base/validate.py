"""Validation of the parts of a `Table`: vocabulary, rows, counts, tokens and ids."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError

__all__ = [
    "check_sizes",
    "check_whole_number",
    "index_of",
    "validate_counts",
    "validate_id",
    "validate_keys",
    "validate_rows",
    "validate_vocabulary",
]

Rows = NDArray[np.floating[Any]]


def validate_vocabulary(vocabulary: Sequence[str]) -> Sequence[str]:
    """Return the vocabulary as a list, once it is known to hold strings only; another `Sequence` is left unread."""
    if isinstance(vocabulary, str):
        raise UsageError(f"vocabulary must be a list of tokens, but one string came: {vocabulary[:40]!r}")
    if isinstance(vocabulary, Sequence) and not isinstance(vocabulary, (list, tuple)):
        return vocabulary
    tokens = list(vocabulary)
    for position, token in enumerate(tokens):
        if not isinstance(token, str):
            raise UsageError(f"vocabulary must hold strings, but id {position} is {token!r}")
    return tokens


def validate_rows(rows: Rows, size: int) -> Rows:
    """Return the rows as they came (a memory map stays one), once their shape and dtype are known to fit."""
    rows = np.asanyarray(rows)
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise UsageError(f"rows must be a (V, d) array of floats, got shape {rows.shape} of {rows.dtype}")
    if rows.shape[0] != size:
        raise UsageError(
            f"vocabulary has {plural(size, 'token')} but rows has {plural(rows.shape[0], 'row')}; they must agree"
        )
    if rows.shape[1] < 1:
        raise UsageError("rows must be at least 1 wide, got (V, 0)")
    return rows


def validate_counts(counts: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Return the counts as int64, once they are known to be one whole number for each token."""
    array = np.asarray(counts)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise UsageError(
            f"counts must be {plural(size, 'integer')}, one a token, got shape {array.shape} of {array.dtype}"
        )
    return array.astype(np.int64, copy=False)


def validate_id(key: object, size: int) -> int:
    """Return an id as an int, once it is known to be one of `size` rows.

    >>> validate_id(7, 5)
    Traceback (most recent call last):
    rowspace.errors.UsageError: id 7 is out of range for a table of 5 tokens: ids run from 0
    """
    if isinstance(key, (bool, np.bool_)) or not isinstance(key, (int, np.integer)):
        raise UsageError(f"a token (str) or an id (int) was expected, got {key!r}")
    if not 0 <= key < size:
        raise UsageError(f"id {key} is out of range for a table of {plural(size, 'token')}: ids run from 0")
    return int(key)


def validate_keys(keys: object) -> list[Any]:
    """Return tokens or ids as a list, once they are known not to be a single token."""
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise UsageError(f"a list of tokens was expected, got {keys!r}")
    return list(keys)


def index_of(vocabulary: Sequence[str]) -> dict[str, int]:
    """Return token to id; raises `UsageError` on the first token that is duplicated, with both ids."""
    ids = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    if len(ids) < len(vocabulary):
        for first, token in enumerate(vocabulary):
            if ids[token] != first:
                again = vocabulary.index(token, first + 1)
                raise UsageError(f"token {token!r} is duplicated in the vocabulary, as ids {first} and {again}")
    return ids


def check_whole_number(name: str, value: object, least: int, most: int) -> None:
    """Raise UsageError, naming the argument, for what is not an integer from `least` to `most`.

    >>> check_whole_number("workers", 0, 1, 1024)
    Traceback (most recent call last):
    rowspace.errors.UsageError: workers must be a whole number from 1 to 1,024, not 0
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise UsageError(f"{name} must be a whole number from {least:,} to {most:,}, not {value!r}")


def check_sizes(tokens: int, rows: int, source: str, *, tokenizer: str = "its tokenizer", first: str = "") -> None:
    """Compare how many ids a tokenizer has with the rows of the table in `source`.

    More rows are padding, which many checkpoints have: a warning says how many. Raises `FileFormatError` for more ids,
    naming the first without a row, `first` if its token is known. `tokenizer`: where it is.

    >>> check_sizes(3, 2, "model.safetensors", first="'cat'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: model.safetensors: has 2 rows, but its tokenizer has 3 ids: the first without ...
    """
    if tokens > rows:
        raise FileFormatError(
            f"{source}: has {plural(rows, 'row')}, but {tokenizer} has {plural(tokens, 'id')}: the first without a row "
            f"is {rows}{first and ', '}{first}; they do not belong together"
        )
    if rows > tokens:
        warnings.warn(
            f"{source}: the last {rows - tokens:,} of {rows:,} rows belong to no token of {Path(tokenizer).name}: they "
            "are padding and left out",
            stacklevel=3,
        )

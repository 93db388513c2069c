"""What a `Table` is made of, checked: a vocabulary, rows, counts, and the index from token to id.

Left out: the table (`table.py`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = ["checked_counts", "checked_rows", "checked_vocabulary", "index_of"]

Rows = NDArray[np.floating[Any]]


def checked_vocabulary(vocabulary: Sequence[str]) -> Sequence[str]:
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


def checked_rows(rows: Rows, size: int) -> Rows:
    """Return the rows as they came (a memory map stays one), once their shape and dtype are known to fit."""
    rows = np.asanyarray(rows)
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise UsageError(f"rows must be a (V, d) array of floats, got shape {rows.shape} of {rows.dtype}")
    if rows.shape[0] != size:
        raise UsageError(f"vocabulary has {size} tokens but rows has {rows.shape[0]} rows; they must agree")
    if rows.shape[1] < 1:
        raise UsageError("rows must be at least 1 wide, got (V, 0)")
    return rows


def checked_counts(counts: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Return the counts as int64, once they are known to be one whole number for each token."""
    array = np.asarray(counts)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise UsageError(f"counts must be {size} integers, one a token, got shape {array.shape} of {array.dtype}")
    return array.astype(np.int64, copy=False)


def index_of(vocabulary: Sequence[str]) -> dict[str, int]:
    """Return token to id; raises `UsageError` on the first token that stands twice, with both ids."""
    ids = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    if len(ids) < len(vocabulary):
        for first, token in enumerate(vocabulary):
            if ids[token] != first:
                again = vocabulary.index(token, first + 1)
                raise UsageError(f"token {token!r} stands twice in the vocabulary, as ids {first} and {again}")
    return ids

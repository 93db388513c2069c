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
    "check_column",
    "check_sizes",
    "check_texts",
    "check_whole_number",
    "index_of",
    "validate_counts",
    "validate_id",
    "validate_keys",
    "validate_outputs",
    "validate_rows",
    "validate_vocabulary",
]

Rows = NDArray[np.floating[Any]]


def validate_vocabulary(vocabulary: Sequence[str]) -> Sequence[str]:
    """Return the vocabulary as a list of strings; a `Sequence` of another class is returned without being read.

    Args:
        vocabulary: Tokens in id order.

    Returns:
        A list for a list, tuple or other iterable, otherwise the `Sequence` itself.

    Raises:
        UsageError: If `vocabulary` is one string or contains something other than strings.
    """
    if isinstance(vocabulary, str):
        raise UsageError(f"vocabulary must be a list of tokens, got one string: {vocabulary[:40]!r}")
    if isinstance(vocabulary, Sequence) and not isinstance(vocabulary, (list, tuple)):
        return vocabulary
    tokens = list(vocabulary)
    for position, token in enumerate(tokens):
        if not isinstance(token, str):
            raise UsageError(f"vocabulary must hold strings, but id {position} is {token!r}")
    return tokens


def validate_rows(rows: Rows, size: int) -> Rows:
    """Return the rows as an array (a memory map stays one) after checking shape and dtype.

    Args:
        rows: (V, d) floating.
        size: V, the number of tokens.

    Returns:
        The same rows.

    Raises:
        UsageError: If the rows are not a (V, d) array of floats with d of 1 or more.
    """
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


def validate_outputs(outputs: Rows, shape: tuple[int, ...]) -> Rows:
    """Return the output rows as an array after checking that they have the shape of the rows.

    Args:
        outputs: (V, d) floating.
        shape: The shape of the rows.

    Returns:
        The same output rows.

    Raises:
        UsageError: If they are not floats of this shape.
    """
    array = outputs if isinstance(outputs, np.ndarray) else np.asarray(outputs)
    if array.dtype.kind != "f" or array.shape != shape:
        raise UsageError(
            f"outputs must be floats with the shape {shape} of the rows, got {array.dtype} of shape {array.shape}"
        )
    return array


def validate_counts(counts: NDArray[np.integer[Any]], size: int) -> NDArray[np.int64]:
    """Return the counts as int64 after checking that there is one integer per token.

    Args:
        counts: (V,) integers.
        size: V, the number of tokens.

    Returns:
        (V,) int64; not a copy if they are int64 already.

    Raises:
        UsageError: If the shape or dtype differs, or for a negative count.
    """
    array = np.asarray(counts)
    if array.shape != (size,) or array.dtype.kind not in "iu":
        raise UsageError(
            f"counts must be {plural(size, 'integer')}, one per token, got shape {array.shape} of {array.dtype}"
        )
    found = array.astype(np.int64, copy=False)
    if size and found.min() < 0:
        at = int(np.argmax(found < 0))
        raise UsageError(f"counts must be from 0 to 2**63 - 1, got {array[at]} for id {at}")
    return found


def validate_id(key: object, size: int) -> int:
    """Return an id as an int after checking its range.

    Args:
        key: An id.
        size: Number of rows.

    Returns:
        The id.

    Raises:
        UsageError: If it is not an integer from 0 to `size` - 1.

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
    """Return tokens or ids as a list.

    Args:
        keys: An iterable of tokens or ids.

    Returns:
        The list.

    Raises:
        UsageError: If `keys` is a single token or not iterable.
    """
    if isinstance(keys, str) or not isinstance(keys, Iterable):
        raise UsageError(f"a list of tokens was expected, got {keys!r}")
    return list(keys)


def index_of(vocabulary: Sequence[str]) -> dict[str, int]:
    """Return a dict from token to id.

    Args:
        vocabulary: Tokens in id order.

    Returns:
        The id of each token.

    Raises:
        UsageError: For the first duplicated token, with both ids.
    """
    ids = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    if len(ids) < len(vocabulary):
        for first, token in enumerate(vocabulary):
            if ids[token] != first:
                again = vocabulary.index(token, first + 1)
                raise UsageError(f"token {token!r} is duplicated in the vocabulary, as ids {first} and {again}")
    return ids


def check_texts(texts: Sequence[object]) -> None:
    """Raise `UsageError` for the first text that is not a string."""
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(
                f"texts must be strings, but text {place} is a {type(text).__name__}; leave it out or convert it"
            )


def check_whole_number(name: str, value: object, minimum: int, maximum: int) -> None:
    """Check that `value` is an integer from `minimum` to `maximum`.

    Args:
        name: The argument's name, for the message.
        value: What was passed; a bool is not an integer here.
        minimum: The smallest valid value.
        maximum: The largest valid value.

    Raises:
        UsageError: If it is not.

    >>> check_whole_number("workers", 0, 1, 1024)
    Traceback (most recent call last):
    rowspace.errors.UsageError: workers must be a whole number from 1 to 1,024, not 0
    """
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise UsageError(f"{name} must be a whole number from {minimum:,} to {maximum:,}, not {value!r}")


def check_column(name: str, texts: object) -> None:
    """Raise `UsageError` for a data frame or a dict, since iterating over it gives the names of its columns."""
    if isinstance(texts, dict) or hasattr(texts, "columns"):
        raise UsageError(
            f"{name} must be one column of texts, not a {type(texts).__name__}; pass df['text'], for example"
        )


def check_sizes(tokens: int, rows: int, source: str, *, tokenizer: str = "its tokenizer", first: str = "") -> None:
    """Compare the number of ids of a tokenizer with the number of rows of a table.

    Extra rows are padding, which many checkpoints have; their number is reported with a warning.

    Args:
        tokens: Number of ids of the tokenizer.
        rows: Number of rows of the table.
        source: The table's file, for the message.
        tokenizer: The tokenizer's file, for the message.
        first: The token of the first id without a row, if known.

    Raises:
        FileFormatError: If there are more ids than rows.

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

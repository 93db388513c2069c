"""What files hold of a table: words, decoded to tokens or encoded and checked, and rows of a dtype of the format.

The original tools of word2vec, GloVe and fastText cut long words, at times inside a character: bytes that are not valid
UTF-8 become U+FFFD, with a warning. Of duplicated words the first is kept, with a warning, as gensim does.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.tensors import DTYPES
from rowspace.files.vocabulary import encode_token_list
from rowspace.table import Table

__all__ = [
    "as_float32",
    "check_counts",
    "check_rows",
    "decode_words",
    "encode_words",
    "table_without_duplicates",
    "warn_of_duplicates",
]

FORBIDDEN = {ord(" "): "a blank", ord("\t"): "a tab", ord("\n"): "a newline", 0: "a NUL"}


def decode_words(data: NDArray[np.uint8], places: NDArray[np.int64], source: str) -> list[str]:
    """Return the V words at `places` in `data`, where word i is data[places[i, 0]:places[i, 1]].

    Warns, naming `source`, where some are not valid UTF-8.

    >>> decode_words(np.frombuffer(b"cat dog", np.uint8), np.array([[0, 3], [4, 7]]), "x")
    ['cat', 'dog']
    """
    from rowspace.store.kernels import join_words  # only text needs Numba

    ends = np.cumsum(places[:, 1] - places[:, 0] + 1)
    joined = np.empty(ends[-1] if ends.size else 0, np.uint8)
    join_words(data, places, joined)
    run = joined.tobytes()
    try:
        if run.count(b"\n") == len(places):  # no word holds a newline itself: one split finds them all
            return run.decode().split("\n")[:-1]
        return [word.decode() for word in _cut(run, ends)]
    except UnicodeDecodeError:
        words = _cut(run, ends)
    tokens = [word.decode(errors="replace") for word in words]
    broken = [token for token, word in zip(tokens, words, strict=True) if token.encode() != word]
    warnings.warn(
        f"{source}: {plural(len(broken), 'word is', 'words are')} not valid UTF-8, perhaps cut inside a character; the "
        f"invalid bytes became U+FFFD, first in {broken[0]!r}",
        stacklevel=3,
    )
    return tokens


def table_without_duplicates(
    tokens: list[str], rows: NDArray[np.floating], source: str, counts: NDArray[np.integer] | None = None
) -> Table:
    """Build the table of the first of each token; warns, naming `source`, where some are duplicated.

    >>> table_without_duplicates(["cat", "dog"], np.eye(2, dtype=np.float32), "x")
    Table(2 tokens × 2, float32)
    """
    check_counts(counts, source)
    if len(set(tokens)) == len(tokens):
        return Table(tokens, rows, counts)
    first: dict[str, int] = {}
    for number, token in enumerate(tokens):
        first.setdefault(token, number)
    twice = next(token for number, token in enumerate(tokens) if first[token] != number)
    warn_of_duplicates(source, len(tokens) - len(first), twice)
    kept = np.fromiter(first.values(), np.int64, len(first))
    return Table(list(first), rows[kept], None if counts is None else counts[kept])


def check_counts(counts: NDArray[np.integer] | None, source: str) -> None:
    """Raise `FileFormatError`, naming `source`, if one of the counts (V) is negative or above 2**63 - 1."""
    if counts is not None and len(counts) and (counts.min() < 0 or counts.max() >= 2**63):
        raise FileFormatError(
            f"{source}: has counts from {counts.min()} to {counts.max()}; counts are from 0 to 2**63 - 1"
        )


def warn_of_duplicates(source: str, count: int, example: str) -> None:
    """Warn that `count` rows were left out, since their tokens are there already; one is that of `example`."""
    warnings.warn(
        f"{source}: {plural(count, 'word is', 'words are')} duplicated, the first is kept; one is {example[:40]!r}",
        stacklevel=4,
    )


def encode_words(
    tokens: Sequence[str], *, forbidden: bytes, forbidden_ends: bytes = b"", max_bytes: int, format: str
) -> list[bytes]:
    """Return each token's UTF-8; raises `UsageError` on one that the format cannot hold.

    `forbidden` are bytes that end a word there, and `forbidden_ends` those that a word cannot end in unless it holds
    nothing else; a word has at most `max_bytes`.

    >>> encode_words(["New York"], forbidden=b" ", max_bytes=99, format="word2vec")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: token 'New York' (id 0) holds a blank, which word2vec cannot hold; ...
    """
    words = encode_token_list(tokens)
    ends = tuple(bytes([byte]) for byte in forbidden_ends)
    for number, word in enumerate(words):
        if len(word) > max_bytes:
            what = f"has more than {max_bytes} bytes"
        elif any(byte in word for byte in forbidden):
            what = f"holds {_named(forbidden)}"
        elif word.endswith(ends) and word.strip(forbidden_ends):
            what = f"ends in {_named(forbidden_ends)}"
        else:
            continue
        raise UsageError(
            f"token {tokens[number]!r:.80} (id {number}) {what}, which {format} cannot hold; "
            "save to a folder instead (format 'native')"
        )
    return words


def _named(characters: bytes) -> str:
    return " or ".join(FORBIDDEN[byte] for byte in characters)


def _cut(run: bytes, ends: NDArray[np.int64]) -> list[bytes]:
    """Return the words that were joined, each with a byte after it."""
    begins = [0, *ends[:-1].tolist()]
    return [run[begin : end - 1] for begin, end in zip(begins, ends.tolist(), strict=True)]


def as_float32(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return rows as little-endian float32; raises `UsageError` for a number beyond it.

    >>> as_float32(np.array([1e300]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: the rows hold numbers beyond 3.4e38, ...
    """
    try:
        with np.errstate(over="raise"):
            return np.ascontiguousarray(rows, "<f4")
    except FloatingPointError:
        raise UsageError(
            "the rows hold numbers beyond 3.4e38, the largest float32, and this format holds float32; scale them or "
            "name another format ('native')"
        ) from None


def check_rows(table: Table) -> None:
    """Raise `UsageError` for rows of a dtype that safetensors and Arrow do not have, such as longdouble."""
    if table.rows.dtype.name not in DTYPES:
        raise UsageError(f"rows of {table.rows.dtype} cannot be saved; convert them to float32")

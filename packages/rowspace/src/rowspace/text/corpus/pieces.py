"""Files → pieces of text: plain text, or the texts in a column of records; pieces → blocks for workers."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.files.remote import is_url
from rowspace.text.characters import utf8
from rowspace.text.corpus.file_types import suffix_of
from rowspace.text.corpus.parquet_column import is_parquet, read_column
from rowspace.text.corpus.reading import BLOCK, Piece, cut_pieces, read_chunks
from rowspace.text.corpus.record_columns import place_of, text_in
from rowspace.text.corpus.records import FileRecord, has_records, read_records

__all__ = ["Block", "blocks", "is_parquet_file", "read_column_records", "read_pieces"]

MAX_RECORD = 1 << 28  # bytes


def read_pieces(
    name: str, *, named: bool, column: str | None = None, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Piece]:
    """Yield the text of a file, or of standard input for '-'.

    Lines may end with CR alone. Warns of other data after the compressed text in a .gz.

    Args:
        name: The path of the file.
        named: Whether the caller named this file; a file that was found in a folder is skipped if it is binary, or if
            a column is given and it has no records.
        column: The column that holds the text; then the file has records, each with a document: Parquet by its first
            bytes, CSV and a JSON array (.csv, .tsv, .json, compressed or not) by its name, otherwise JSON lines.
        on_bytes: Called with the number of bytes read.

    Raises:
        UsageError: There is no such file or column.
        CorpusError: The file cannot be read, is damaged or binary, or holds records and no `column` is given.
        FileFormatError: A record is damaged, not UTF-8, or has no text in the column.
        MissingExtraError: A .zst file without zstandard, or a Parquet file without pyarrow.
    """
    if column is not None and is_parquet_file(name):
        for texts in read_column(name, column, on_bytes=on_bytes):
            yield from ((utf8(text), True) for text in texts)
    elif column is not None:
        for line, values in read_column_records(name, column, named=named, on_bytes=on_bytes):
            yield utf8(text_in(place_of(name, line), values, column)), True
    else:
        chunks = read_chunks(name, named=named, on_bytes=on_bytes)
        start = next(chunks, None)
        if start is not None:
            yield from cut_pieces(chain([start], chunks))


def read_column_records(
    name: str,
    column: str,
    *,
    named: bool,
    on_bytes: Callable[[int], None] | None = None,
    keep_damaged: bool = False,
) -> Iterator[FileRecord]:
    """Yield the records of a file with a column of texts that is not Parquet; see `read_pieces` and `read_records`.

    With `keep_damaged`, a file whose name says that it has records is never skipped.
    """
    are_lines = suffix_of(name) not in (".csv", ".tsv", ".json")
    return read_records(
        name,
        limit=MAX_RECORD,
        columns={"column": column},
        on_bytes=on_bytes,
        are_lines=are_lines,
        named=named or not are_lines or (keep_damaged and has_records(name)),
        keep_damaged=keep_damaged,
    )


def is_parquet_file(name: str) -> bool:
    """Whether a regular file begins as Parquet files do."""
    try:
        return (is_url(name) or Path(name).is_file()) and is_parquet(name)
    except (OSError, ValueError):
        return False


class Block(NamedTuple):
    """Some text, the offsets at which documents end in it (int64), and whether the line before it is blank so far."""

    data: bytearray
    ends: NDArray[np.int64]
    blank: bool


def blocks(pieces: Iterable[Piece], *, size: int = BLOCK) -> Iterator[Block]:
    """Yield the text of all pieces in blocks of at least `size` bytes, except the last.

    Small documents share a block, so that ten thousand files cost no more than one.

    >>> pieces = [(b"a ", False), (b"b", True), (b"c", True)]
    >>> [(bytes(data), ends.tolist()) for data, ends, _ in blocks(pieces)]
    [(b'a bc', [3, 4])]
    """
    data, ends, blank = bytearray(), list[int](), True
    for text, last in pieces:
        data += text
        if last:
            ends.append(len(data))
        if len(data) >= size:
            yield Block(data, np.array(ends, np.int64), blank)
            blank = _leaves_blank(data, ends, blank)
            data, ends = bytearray(), []
    if ends:
        yield Block(data, np.array(ends, np.int64), blank)


def _leaves_blank(data: bytearray, ends: list[int], blank: bool) -> bool:
    """Return whether the last line of a block is blank so far."""
    line = max(data.rfind(b"\n") + 1, ends[-1] if ends else 0)
    return (blank or line > 0) and not data[line:].strip()

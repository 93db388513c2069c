"""Files → pieces of text: plain text, or the texts in a column of records."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from rowspace.errors import CorpusError
from rowspace.files.remote import is_url
from rowspace.text.characters import utf8
from rowspace.text.corpus.file_types import csv_delimiter, suffix_of
from rowspace.text.corpus.parquet_column import is_parquet, read_column
from rowspace.text.corpus.reading import Piece, cut_pieces, read_chunks
from rowspace.text.corpus.records import read_records

__all__ = ["is_parquet_file", "read_pieces"]

MAX_RECORD = 1 << 28  # bytes
_JSON_NAMES = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


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
        CorpusError: The file cannot be read, is damaged or binary, holds records and no `column` is given, or has no
            such column.
        FileFormatError: A record of CSV or of a JSON array is damaged.
        MissingExtraError: A .zst file without zstandard, or a Parquet file without pyarrow.
    """
    if column is not None and is_parquet_file(name):
        for texts in read_column(name, column, on_bytes=on_bytes):
            yield from ((utf8(text), True) for text in texts)
    elif column is not None and (csv_delimiter(name) is not None or suffix_of(name) == ".json"):
        for line, values in read_records(name, limit=MAX_RECORD, on_bytes=on_bytes):
            yield utf8(_text_in(f"{name!r} line {line}", values, column)), True
    else:
        chunks = read_chunks(name, named=named, has_records=column is not None, on_bytes=on_bytes)
        start = next(chunks, None)
        if start is not None:
            chunks = chain([start], chunks)
            yield from cut_pieces(chunks) if column is None else _json_lines(name, chunks, column)


def is_parquet_file(name: str) -> bool:
    """Whether a regular file begins as Parquet files do."""
    try:
        return (is_url(name) or Path(name).is_file()) and is_parquet(name)
    except (OSError, ValueError):
        return False


def _json_lines(name: str, chunks: Iterable[bytes], column: str) -> Iterator[Piece]:
    """Yield the text in a column of each record of JSON lines, each a document."""
    number, rest = 0, b""
    for chunk in chain(chunks, [b"\n"]):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            if line.strip(b" \t\r"):
                location = f"{name!r} line {number}"
                yield utf8(_text_in(location, _parsed(location, line), column)), True


def _parsed(location: str, line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise CorpusError(
            f"{location} is not JSON ({error}); with a column, each line is a JSON object, unless the name of the file "
            "ends in .csv, .tsv or .json (an array), or it is Parquet"
        ) from error


def _text_in(location: str, record: object, column: str) -> str:
    """Return the text in a column of a record; the column may be a path with dots."""
    value = record
    whole = isinstance(value, dict) and column in value  # a name that contains dots has precedence
    for key in [column] if whole else column.split("."):
        if not (isinstance(value, dict) and key in value):
            found = (
                f"it has {', '.join(map(repr, list(value)[:8]))}" if isinstance(value, dict) else "it is not an object"
            )
            missing = found if key == column else f"{key!r} was not found, {found}"
            raise CorpusError(f"{location} has no column {column!r}: {missing}")
        value = value[key]
    if not isinstance(value, str):
        what = "null" if value is None else _JSON_NAMES.get(type(value), type(value).__name__)
        raise CorpusError(
            f"{location}: the column {column!r} holds {what}, not text; remove such records, or name another column"
        )
    return value

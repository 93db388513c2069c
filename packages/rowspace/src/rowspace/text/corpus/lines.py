"""Files → lists of texts: one text per line, or per record."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

from rowspace._base import in_batches
from rowspace.errors import CorpusError, CorpusWarning, FileFormatError
from rowspace.text.characters import clean
from rowspace.text.corpus.file_types import csv_delimiter, suffix_of
from rowspace.text.corpus.parquet_column import read_column, read_column_texts
from rowspace.text.corpus.pieces import is_parquet_file, read_column_records, read_pieces
from rowspace.text.corpus.reading import BLOCK, read_chunks
from rowspace.text.corpus.record_columns import check_columns, problem_of, value_in
from rowspace.text.corpus.records import DamagedValues

__all__ = ["MAX_LINE", "BadRow", "TextRecord", "read_lines", "read_text_records", "read_texts"]

MAX_LINE = 1 << 28  # bytes; a longer one is not one text of many
MAX_WITHOUT = 100  # records at the beginning of a file without the column
_BOM = b"\xef\xbb\xbf"

Text = TypeVar("Text", str, str | None)


class BadRow(NamedTuple):
    """A row of a file without a text.

    Attributes:
        source: Its file.
        unit: "row" of Parquet, counted from 0; "line" or, in an array of JSON, "record", counted from 1.
        number: Its number, or that of its first line.
        problem: What is wrong.
    """

    source: str
    unit: str
    number: int
    problem: str

    @property
    def place(self) -> str:
        """Where it is, for a message."""
        return f"{self.source}: {self.unit} {self.number:,}"


class TextRecord(NamedTuple):
    """A record with its text.

    Attributes:
        values: Its values by column.
        text: Its text, or None.
        bad: What is wrong if there is no text.
    """

    values: Mapping[str, Any]
    text: str | None
    bad: BadRow | None


def read_lines(
    name: str,
    *,
    named: bool,
    column: str | None = None,
    max_line: int = MAX_LINE,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[list[str]]:
    r"""Yield the lines of a file, or of standard input for '-', in lists of about a megabyte.

    Lines end with LF, CR LF or, in a file without LF, CR. An empty line is an empty text, so that text i is line i + 1;
    blank lines between records are not texts. Invalid UTF-8 is replaced by U+FFFD, with a `CorpusWarning` for
    each file.

    Args:
        name: The path of the file, compressed or not.
        named: Whether the caller named this file; a binary file that was found in a folder is skipped.
        column: The column of records that holds the text; see `read_pieces`.
        max_line: Maximum bytes of a line, unless `column` is given.
        on_bytes: Called with the number of bytes read.

    Raises:
        UsageError: There is no such file or column.
        FileFormatError: A record is damaged, or has no text in the column.
        CorpusError: The file cannot be read, is damaged or binary, holds records and no `column` is given, or has a
            line of more than `max_line` bytes.
        MissingExtraError: A .zst file without zstandard.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"one\n\nthree\r\n")
    ...     file.flush()
    ...     list(read_lines(file.name, named=True))
    [['one', '', 'three']]
    """
    if column is None:
        return _lines(name, read_chunks(name, named=named, on_bytes=on_bytes), max_line, partial(_decode, name))
    if is_parquet_file(name):
        return read_column(name, column, on_bytes=on_bytes)
    return _records(read_pieces(name, named=named, column=column, on_bytes=on_bytes))


def read_texts(
    name: str,
    *,
    named: bool,
    column: str | None,
    on_bytes: Callable[[int], None] | None,
    on_bad: Callable[[BadRow], None],
) -> Iterator[list[str | None]]:
    """Yield the lines of a file as `read_lines`, but None for a row without a text.

    Such a row is a line that is not UTF-8, or a record that is damaged or has no text in the column. A file is refused
    whose first `MAX_WITHOUT` records all lack the column.

    Args:
        name: As for `read_lines`.
        named: As for `read_lines`.
        column: As for `read_lines`.
        on_bytes: As for `read_lines`.
        on_bad: Called with each such row before the list that it is in.
    """
    if column is None:
        chunks = read_chunks(name, named=named, on_bytes=on_bytes)
        return _lines(name, chunks, MAX_LINE, partial(_decode_each, name, on_bad))
    if is_parquet_file(name):

        def on_row(row: int, problem: str) -> None:
            on_bad(BadRow(name, "row", row, problem))

        return read_column_texts(name, column, on_bytes=on_bytes, on_bad=on_row)
    return _record_texts(read_text_records(name, column, named=named, on_bytes=on_bytes), on_bad)


def read_text_records(
    name: str, column: str, *, named: bool = True, on_bytes: Callable[[int], None] | None = None
) -> Iterator[TextRecord]:
    """Yield the records of a file that is not Parquet, also those without a text; see `read_texts`."""
    unit = "record" if suffix_of(name) == ".json" else "line"
    has_column = csv_delimiter(name) is not None  # in its header
    waiting = list[TextRecord]()  # until a record has the column
    records = read_column_records(name, column, named=named, on_bytes=on_bytes, keep_damaged=True)
    for number, (line, values) in enumerate(records, 1):
        waiting.append(_text_record(name, unit, number if unit == "record" else line, values, column))
        has_column = has_column or waiting[-1].text is not None or value_in(values, column, values) is None
        if has_column:
            yield from waiting
            waiting.clear()
        elif number == MAX_WITHOUT:
            break
    if waiting:
        _refuse(waiting, column)


def _text_record(name: str, unit: str, number: int, values: Mapping[str, Any], column: str) -> TextRecord:
    value = value_in(values, column)
    if isinstance(value, str):
        return TextRecord(values, clean(value), None)
    problem = values.problem if isinstance(values, DamagedValues) else problem_of(column, value)
    return TextRecord(values, None, BadRow(name, unit, number, problem))


def _refuse(records: list[TextRecord], column: str) -> None:
    """Raise the error for a file whose first records have no text in the column."""
    problems = [(values, bad) for values, _, bad in records if bad is not None]
    values, bad = next((each for each in problems if not isinstance(each[0], DamagedValues)), problems[0])
    advice = "repair the record or remove it"
    if isinstance(values, DamagedValues):
        advice = values.advice
    else:
        check_columns(bad.place, values, {"column": column})
    raise FileFormatError(f"{bad.place}: {bad.problem}; {advice}")


def _record_texts(records: Iterator[TextRecord], on_bad: Callable[[BadRow], None]) -> Iterator[list[str | None]]:
    texts, size = list[str | None](), 0
    for _, text, bad in records:
        if bad is not None:
            on_bad(bad)
        texts.append(text)
        size += len(text or "")
        if size >= BLOCK or len(texts) >= BLOCK:
            yield texts
            texts, size = [], 0
    if texts:
        yield texts


def _lines(
    name: str, chunks: Iterator[bytes], max_line: int, decode: Callable[[bytes, int], list[Text]]
) -> Iterator[list[Text]]:
    parts: list[bytes] = []  # the beginning of a line
    before = size = 0  # lines before the parts, and their bytes
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            lines = decode(b"".join([*parts, chunk[: cut - 1]]), before)
            yield lines
            before, parts, size = before + len(lines), [], 0
        parts.append(chunk[cut:])
        size += len(chunk) - cut
        if size > max_line:
            raise CorpusError(
                f"{name!r} line {before + 1} is longer than {max_line >> 20} MiB; write one text per line"
            )
    if size:
        yield decode(b"".join(parts), before)


def _decode(name: str, data: bytes, before: int) -> list[str]:
    """Return the lines in `data`, which begins after `before` lines."""
    if not before:
        data = data.removeprefix(_BOM)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = before + data.count(b"\n", 0, error.start) + 1
        warnings.warn(
            f"{name!r} line {line:,} is not valid UTF-8; such bytes are replaced by U+FFFD",
            CorpusWarning,
            stacklevel=2,
        )
        text = data.decode(errors="replace")
    return _split(text)


def _decode_each(name: str, on_bad: Callable[[BadRow], None], data: bytes, before: int) -> list[str | None]:
    """Return the lines in `data`, None for those that are not UTF-8."""
    if not before:
        data = data.removeprefix(_BOM)
    try:
        return [*_split(data.decode())]
    except UnicodeDecodeError:
        lines = list[str | None]()
        for number, line in enumerate(data.split(b"\n"), before + 1):
            try:
                lines.append(line.decode().removesuffix("\r"))
            except UnicodeDecodeError:
                lines.append(None)
                on_bad(BadRow(name, "line", number, "not valid UTF-8"))
        return lines


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _records(pieces: Iterator[tuple[bytes, bool]]) -> Iterator[list[str]]:
    for some in in_batches(pieces, lambda piece: len(piece[0]), BLOCK):
        yield [data.decode(errors="replace") for data, _ in some]

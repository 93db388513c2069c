"""Files of records (JSON lines, JSON arrays, CSV, Parquet) → the values of each record by column, streamed."""

import csv
import json
import re
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice, starmap
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rowspace._base.lazy import import_extra
from rowspace.errors import FileFormatError, UsageError, missing_file, reason_of
from rowspace.text.corpus.file_types import csv_delimiter, suffix_of
from rowspace.text.corpus.json_array import ArrayError, array_items
from rowspace.text.corpus.reading import read_chunks
from rowspace.text.corpus.record_columns import check_columns, column_names

__all__ = [
    "RECORD_NAMES",
    "DamagedValues",
    "FileRecord",
    "check_record_name",
    "csv_header",
    "has_records",
    "is_typed",
    "read_records",
]

_ROWS_AT_ONCE, _BYTES_AT_ONCE = 1 << 12, 1 << 22
_BOM = b"\xef\xbb\xbf"
_REPAIR = "repair the line or remove it"
_LIMITS = list[int]()  # of cells: the limit that other code has set, then that of each open reader of CSV
_CHANGING_LIMIT = threading.Lock()


class DamagedValues(dict[str, Any]):
    """The values of a damaged record: none.

    Attributes:
        problem: What is wrong.
        advice: How to mend it.
    """

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__()
        self.problem, self.advice = problem, advice


class FileRecord(NamedTuple):
    """A record of a file.

    Attributes:
        line: The line on which it begins, from 1; in Parquet, its row, from 0.
        values: Its values by column; of CSV, texts.
    """

    line: int
    values: dict[str, Any]


def read_records(
    path: str | Path,
    *,
    limit: int,
    columns: Mapping[str, str | None] = MappingProxyType({}),
    on_bytes: Callable[[int], None] | None = None,
    are_lines: bool = False,
    named: bool = True,
    keep_damaged: bool = False,
) -> Iterator[FileRecord]:
    r"""Yield the records of a file, of which a few are in memory at a time; blank lines are left out.

    Args:
        path: JSON lines (.jsonl, .ndjson), an array of JSON objects (.json), CSV (.csv), CSV with tabs (.tsv) or
            Parquet (.parquet); all but Parquet may be compressed (.gz, .xz, .bz2, .zst). Text is UTF-8. The first
            record of CSV names the columns; one without a name is called by its number, "column 1".
        limit: Maximum bytes of a record; not of Parquet.
        columns: Columns that there must be, as for `check_columns`: in the first record of JSON, the header of CSV or
            the schema of Parquet.
        on_bytes: Called with the number of bytes read; not of Parquet.
        are_lines: Whether a file with any name has JSON lines.
        named: As for `read_chunks`.
        keep_damaged: Yield a record with `DamagedValues` where a record is damaged whose end is known, and do not look
            at the columns of the first record of JSON.

    Raises:
        UsageError: There is no such file or column, or the name of the file is another one.
        FileFormatError: A record is damaged or too long; the message has the line.
        CorpusError: The file cannot be read.
        MissingExtraError: A package for Parquet or Zstandard is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "books.csv")
    ...     _ = file.write_text('id,text\n7,"short, and funny"\n')
    ...     list(read_records(file, limit=1_000))
    [FileRecord(line=2, values={'id': '7', 'text': 'short, and funny'})]
    """
    file = _File(str(path), limit, columns, on_bytes, named, keep_damaged)
    if are_lines:
        return _json(file)
    check_record_name(path)
    return _READERS[suffix_of(path)](file)


def has_records(path: str | Path, *, arrays: bool = False) -> bool:
    """Whether the name of a file shows that it has records; a .json file may have other things, unless `arrays`."""
    return suffix_of(path) in (_READERS if arrays else RECORD_NAMES)


def check_record_name(path: str | Path) -> None:
    """Raise `UsageError` unless the name of a file has the ending of records, those of arrays included."""
    if not has_records(path, arrays=True):
        raise UsageError(f"{path}: a file of records has a name that ends in {', '.join(_READERS)}")


def csv_header(path: str) -> list[str]:
    """Return the names of the columns of CSV, which short records do not have all; none of an empty file."""
    lines = _Lines(_File(path, _BYTES_AT_ONCE, {}, None, named=True, keep_damaged=False))
    rows = csv.reader(lines, delimiter=csv_delimiter(path) or ",", strict=True)
    return _header(path, lines.start, next(filter(None, rows), []))


def is_typed(path: str | Path) -> bool:
    """Whether the values of a file have types; those of CSV are texts."""
    return suffix_of(path) not in (".csv", ".tsv")


class _File(NamedTuple):
    """A file that is read."""

    path: str
    limit: int
    columns: Mapping[str, str | None]
    on_bytes: Callable[[int], None] | None
    named: bool
    keep_damaged: bool

    def damaged(self, line: int, problem: str, advice: str) -> DamagedValues:
        """Return the values of a damaged record; raise `FileFormatError` unless such records are kept."""
        if not self.keep_damaged:
            raise _wrong(self.path, line, f"{problem}; {advice}")
        return DamagedValues(problem, advice)


def _wrong(path: str, line: int, reason: str) -> FileFormatError:
    return FileFormatError(f"{path}: line {line}: {reason}")


def _json(file: _File) -> Iterator[FileRecord]:
    """Yield records of JSON after a look at the columns of the first."""
    records = (_json_array if suffix_of(file.path) == ".json" else _json_lines)(file)
    for record in islice(records, 0 if file.keep_damaged else 1):
        check_columns(f"{file.path}: line {record.line}", record.values, file.columns)
        yield record
    yield from records


def _json_lines(file: _File) -> Iterator[FileRecord]:
    advice = _REPAIR
    if not has_records(file.path):
        advice = (
            "with a column, each line is an object, unless the file is Parquet or named .csv, .tsv or .json (an array)"
        )
    for number, line, damage in _lines(file):
        if damage is not None:
            yield FileRecord(number, damage)
        elif line.strip():
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                found = file.damaged(number, "not valid JSON", advice)
            if not isinstance(found, dict):
                found = file.damaged(number, "not a JSON object", advice)
            yield FileRecord(number, found)


def _csv(file: _File, *, delimiter: str = ",") -> Iterator[FileRecord]:
    path, lines = file.path, _Lines(file)
    header = list[str]()
    try:
        with _limit_of_cells(file.limit):
            for row in csv.reader(lines, delimiter=delimiter, strict=True):
                if not header:
                    if lines.damage is not None:
                        raise _wrong(path, lines.start, f"{lines.damage.problem}; {lines.damage.advice}")
                    header = _header(path, lines.start, row) if row else header
                    check_columns(path, dict.fromkeys(header), file.columns if row else {})
                elif lines.damage is not None:
                    yield FileRecord(lines.start, lines.damage)
                elif len(row) > len(header):
                    cells = f"{len(row)} cells for {len(header)} columns"
                    advice = f"put quotes around a text with {delimiter!r}"
                    yield FileRecord(lines.start, file.damaged(lines.start, cells, advice))
                elif row:
                    yield FileRecord(lines.start, dict(zip(header, row, strict=False)))
                lines.start, lines.size, lines.damage = lines.number + 1, 0, None
    except csv.Error as error:
        reason = "a quote that is not closed" if "end of data" in str(error) else str(error)
        raise _wrong(path, lines.start, f"{reason}; {_REPAIR}") from None


@contextmanager
def _limit_of_cells(limit: int) -> Iterator[None]:
    """Raise the limit of a cell of CSV, which all readers of this process have, while a reader needs it."""
    with _CHANGING_LIMIT:
        _LIMITS.extend([limit] if _LIMITS else [csv.field_size_limit(), limit])
        csv.field_size_limit(max(_LIMITS))
    try:
        yield
    finally:
        with _CHANGING_LIMIT:
            _LIMITS.remove(limit)
            csv.field_size_limit(max(_LIMITS))
            if len(_LIMITS) == 1:
                _LIMITS.clear()


def _header(path: str, line: int, names: list[str]) -> list[str]:
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, 1)]
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise _wrong(path, line, f"the header names the column {twice!r} twice; rename one")
    if len(header) == 1 and (other := re.search("[;\t|]", header[0])):
        separator = {";": "semicolons", "\t": "tabs (those of a .tsv file)", "|": "vertical bars"}[other[0]]
        raise _wrong(path, line, f"the header has one column, {header[0]!r:.60}; write commas instead of {separator}")
    return header


class _Lines:
    """The lines of a file for a reader of CSV; the limit also holds for a record of several lines.

    Attributes:
        number: That of the last line.
        start, size: The first line of a record, and its characters so far; set at the end of the one before.
        damage: What the record has instead of values if one of its lines is damaged.
    """

    def __init__(self, file: _File) -> None:
        self._path, self._limit, self._lines = file.path, file.limit, _lines(file)
        self.number, self.start, self.size = 0, 1, 0
        self.damage: DamagedValues | None = None

    def __iter__(self) -> Iterator[str]:
        for number, line, damage in self._lines:
            self.damage = damage if self.damage is None else self.damage
            self.size += len(line) + 1
            if self.size > self._limit:
                raise _too_long(self._path, self.start, self._limit)
            self.number = number
            yield f"{line}\n"


def _lines(file: _File) -> Iterator[tuple[int, str, DamagedValues | None]]:
    """Yield the number of each line of a file, its text, and what its record has instead of values if it is damaged."""
    path, limit = file.path, file.limit
    number, parts, size = 1, list[bytes](), 0
    for chunk in chain(_chunks(file), [b"\n"]):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            if size + len(end) > limit:
                raise _too_long(path, number, limit)
            yield number, *_text(file, number, b"".join([*parts, end]))
            number, parts, size = number + 1, [], 0
        parts.append(rest)
        size += len(rest)
        if size > limit:
            raise _too_long(path, number, limit)


def _chunks(file: _File) -> Iterator[bytes]:
    return read_chunks(file.path, named=file.named, has_records=True, on_bytes=file.on_bytes)


def _json_array(file: _File) -> Iterator[FileRecord]:
    """Yield the objects of an array, of which one and a chunk are in memory at a time."""
    decode = getincrementaldecoder("utf-8-sig")().decode
    chunks, line = chain((decode(chunk) for chunk in _chunks(file)), iter(lambda: decode(b"", final=True), "")), 1
    try:
        for line, record in array_items(chunks, limit=file.limit):
            is_object = isinstance(record, dict)
            yield FileRecord(line, record if is_object else file.damaged(line, "not a JSON object", "repair the array"))
    except UnicodeDecodeError:
        raise _wrong(file.path, line, "not valid UTF-8 after this line; convert the file to UTF-8") from None
    except ArrayError as error:
        if error.is_too_long:
            raise _too_long(file.path, error.line, file.limit) from None
        what = "not a valid array of JSON objects; repair the file"
        if error.is_object:
            what = (
                "an object, not an array of objects; write an array, or name a file with an object on each line .jsonl"
            )
        raise _wrong(file.path, error.line, what) from None


def _too_long(path: str, line: int, limit: int) -> FileFormatError:
    return _wrong(
        path, line, f"the record has more than {limit / 1e6:,g} MB; divide it, or allow more by --max-megabytes"
    )


def _text(file: _File, number: int, data: bytes) -> tuple[str, DamagedValues | None]:
    data = data.removeprefix(_BOM) if number == 1 else data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data.decode(errors="replace"), file.damaged(number, "not valid UTF-8", "convert the file to UTF-8")
    return text, file.damaged(number, "NUL, which no text has", _REPAIR) if "\0" in text else None


def _parquet(file: _File) -> Iterator[FileRecord]:
    path = file.path
    pa = import_extra("pyarrow", "Parquet files need pyarrow", "arrow")
    from pyarrow import parquet

    try:
        # Without pre_buffer, pages are read as they are needed, and not a row group at once.
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as rows_of:
            check_columns(path, column_names(rows_of.schema_arrow), file.columns)
            groups = [rows_of.metadata.row_group(number) for number in range(rows_of.metadata.num_row_groups)]
            size = sum(group.total_byte_size for group in groups)
            rows = max(1, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE * rows_of.metadata.num_rows // max(1, size)))
            batches = rows_of.iter_batches(batch_size=rows)
            yield from starmap(FileRecord, enumerate(values for batch in batches for values in batch.to_pylist()))
    except FileNotFoundError:
        raise missing_file(path) from None
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(f"{path}: a damaged Parquet file ({reason_of(error)}); write it again") from error


def _tsv(file: _File) -> Iterator[FileRecord]:
    return _csv(file, delimiter="\t")


_READERS: dict[str, Callable[[_File], Iterator[FileRecord]]] = {
    ".jsonl": _json,
    ".ndjson": _json,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
    ".json": _json,
}

RECORD_NAMES = tuple(name for name in _READERS if name != ".json")
"""The endings of the names of files that always have records, before that of a compressed file."""

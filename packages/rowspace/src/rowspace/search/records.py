"""Records, of files or of Python → what is indexed of each: its id, its text, and its other values as metadata."""

import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from rowspace.errors import CorpusWarning, FileFormatError, UsageError
from rowspace.search.reading.files import resolve_roots
from rowspace.search.storage.settings import ColumnType, RecordColumns
from rowspace.text.corpus.examples_file import is_unicode
from rowspace.text.corpus.file_types import suffix_of
from rowspace.text.corpus.record_columns import check_columns, no_text, place_of
from rowspace.text.corpus.records import check_record_name, is_typed, read_records

__all__ = ["Record", "Records", "Row", "check_names", "read_record", "records_of", "rows_of", "source_of"]

Records = Iterable[Mapping[str, Any]]
"""Records of Python: their values by column."""

_MAX_ID, _MAX_METADATA, _MAX_COLUMNS = 1_000, 100_000, 10_000
_INT64 = 1 << 63
_MISSING = ("NAType", "NaTType")  # of pandas, as NaN
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:[eE][+-]?[0-9]{1,2})?")


class Row(NamedTuple):
    """A record that was not checked yet.

    Attributes:
        place: What messages name, such as "data.csv: line 3".
        number: Its id if no column has ids, such as "data.csv:3".
        values: Its values by column.
        is_typed: Whether values have types; those of CSV are texts, of which some may be numbers.
    """

    place: str
    number: str
    values: Mapping[str, Any]
    is_typed: bool = True

    def refuse(self, reason: str) -> NoReturn:
        """Raise an error with the place."""
        raise (FileFormatError if ":" in self.number else UsageError)(f"{self.place}: {reason}")


class Record(NamedTuple):
    """A record that was checked.

    Attributes:
        id: Its id.
        title: Its title; empty if there is none.
        text: Its text.
        metadata: Its other values, as a JSON object of texts, numbers, true and false.
    """

    id: str
    title: str
    text: str
    metadata: str

    def digest(self) -> str:
        """Return a hash of the record without its id."""
        return blake2b("\0".join(self[1:]).encode(), digest_size=16).hexdigest()


def records_of(
    texts: str | Path | Iterable[str | Path],
    ids: Iterable[str | int] | None,
    metadata: Iterable[Mapping[str, Any]] | None,
) -> list[dict[str, Any]]:
    """Return records with the columns "id", "text" and those of the metadata.

    Raises:
        UsageError: If there are no ids, texts, ids and metadata are not equally many, or metadata has "id" or "text".

    >>> records_of(["a red cat"], [7], [{"year": 1999}])
    [{'year': 1999, 'id': 7, 'text': 'a red cat'}]
    """
    if ids is None or isinstance(texts, str | Path):
        raise UsageError("ids and metadata are for a list of texts, each with an id; give a list, and ids")
    texts, ids = list(texts), list(ids)
    others = [{}] * len(texts) if metadata is None else list(metadata)
    if not len(texts) == len(ids) == len(others):
        counts = f"{len(texts):,}, {len(ids):,} and {len(others):,}"
        raise UsageError(f"texts, ids and metadata must be equally many, not {counts}")
    for number, each in enumerate(others, 1):
        if not isinstance(each, Mapping) or not {"id", "text"}.isdisjoint(each):
            raise UsageError(f"the metadata of text {number} must be a dict without 'id' and 'text', not {each!r:.80}")
    return [{**each, "id": own, "text": text} for text, own, each in zip(texts, ids, others, strict=True)]


def source_of(
    records: str | Path | Iterable[str | Path] | Records,
) -> tuple[Iterable[Any], list[str]]:
    """Return the source of records, and the absolute paths of its files; none if it is not of files."""
    items = iter([records] if isinstance(records, str | Path) else records)
    first = next(items, None)
    everything: Iterable[Any] = () if first is None else chain([first], items)
    if not isinstance(first, str | Path):
        return everything, []
    roots = resolve_roots(everything)
    check_names(roots)
    return roots, roots


def rows_of(
    records: str | Path | Iterable[str | Path] | Records,
    *,
    max_megabytes: int,
    columns: Mapping[str, str | None] = MappingProxyType({}),
) -> Iterator[Row]:
    """Yield the records of files, or those of Python.

    Args:
        records: Paths of files that `check_names` accepts, or mappings.
        max_megabytes: The limit of a record of a file.
        columns: The columns that there must be, in each file and in the first mapping, as for `check_columns`.

    Raises:
        UsageError: If an item is neither a path nor a mapping, or there is no such column.
        FileFormatError: If a file is damaged.
        CorpusError: If a file cannot be read.
    """
    for number, item in enumerate([records] if isinstance(records, str | Path) else records, 1):
        if isinstance(item, str | Path):
            yield from _rows_of_file(str(item), max_megabytes * 1_000_000, columns)
        elif isinstance(item, Mapping):
            check_columns(f"record {number}", item, columns if number == 1 else {})
            yield Row(f"record {number}", str(number), item)
        else:
            raise UsageError(f"record {number} must be a dict or the path of a file, not {type(item).__name__}")


def _rows_of_file(path: str, limit: int, columns: Mapping[str, str | None]) -> Iterator[Row]:
    name, typed = Path(path).name, is_typed(path)
    for number, (line, values) in enumerate(read_records(path, limit=limit, columns=columns), 1):
        own = number if suffix_of(path) == ".json" else line  # an array may have one line
        yield Row(place_of(path, line), f"{name}:{own}", values, typed)


def check_names(paths: Iterable[str]) -> None:
    """Raise `UsageError` for a path that does not have the name of a file of records."""
    for path in paths:
        check_record_name(path)
        if Path(path).is_dir():
            raise UsageError(f"{path} is a folder; name the files of records in it")


def read_record(row: Row, columns: RecordColumns, types: dict[str, ColumnType]) -> Record:
    """Return the record of a row, and add the types of its metadata to `types`.

    Raises:
        UsageError: If a value of a record of Python is not valid.
        FileFormatError: If one of a file is not.
    """
    values = dict(row.values)
    text = _text(row, columns.text, _taken(values, columns.text))
    title = "" if columns.title is None else _text(row, columns.title, _taken(values, columns.title) or "")
    own = row.number if columns.id is None else _id(row, columns.id, _taken(values, columns.id))
    found = dict[str, Any]()
    for name, given in values.items():
        value = _value(row, name, given)
        if value is not None:
            found[name] = value
            types[name] = _joined(types.get(name), _type_of(value, is_typed=row.is_typed))
    if len(types) > _MAX_COLUMNS:
        row.refuse(f"this is more than the {_MAX_COLUMNS:,} columns that records may have; leave some out")
    metadata = json.dumps(found, ensure_ascii=False)
    if len(metadata) > _MAX_METADATA:
        row.refuse(f"the metadata has {len(metadata):,} characters, and the most is {_MAX_METADATA:,}; leave some out")
    return Record(own, title, text, metadata)


def _taken(values: dict[str, Any], column: str) -> Any:
    """Return the value in a column, as `value_in` does, and remove it."""
    first, _, rest = column.partition(".")
    nested = values.get(first)
    if column in values or not isinstance(nested, Mapping):
        return values.pop(column, None)
    inner = dict(nested)
    found = _taken(inner, rest)
    values[first] = inner or None
    return found


def _text(row: Row, name: str, value: object) -> str:
    if not isinstance(value, str):
        row.refuse(no_text(name, value))
    return _unicode(row, name, value)


def _id(row: Row, name: str, value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if text is None or text == "":
        row.refuse(f"the column {name!r}, which has the ids, has no value; add it or remove the record")
    if not isinstance(text, str) or len(text) > _MAX_ID:
        row.refuse(f"the column {name!r} has {_shown(value)}; an id is text up to {_MAX_ID:,} characters or an integer")
    return _unicode(row, name, text)


def _unicode(row: Row, name: str, text: str) -> str:
    if "\0" in text or not is_unicode(text):
        row.refuse(f"the column {name!r} has NUL or half a surrogate pair; repair the record or remove it")
    return text


def _value(row: Row, name: object, value: object) -> str | int | float | bool | None:
    """Return a value as it is stored: nested ones as JSON, dates as ISO text; None if it is missing.

    Decimals, and integers above 64 bits, become floats, which keep 15 digits. Bytes are left out, with a warning.
    """
    if not isinstance(name, str):
        row.refuse(f"the name of a column is {_shown(name)}, which is not text; rename it")
    _unicode(row, name[:40], name)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal) or (isinstance(value, int) and not -_INT64 <= value < 2 * _INT64):
        value = _as_float(value)
    if isinstance(value, float) and math.isinf(value):
        row.refuse(f"the column {name!r} has an infinite number; change it or leave it out")
    if (
        value is None
        or value == ""
        or type(value).__name__ in _MISSING
        or (isinstance(value, float) and math.isnan(value))
    ):
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, dict | list | bytes):
        try:
            value = json.dumps(value, ensure_ascii=False, default=_as_text)
        except _BytesError:
            warnings.warn(f"the column {name!r} has bytes, which cannot be metadata; left out", CorpusWarning, 2)
            return None
        except (ValueError, TypeError, RecursionError):
            row.refuse(f"the column {name!r} is nested too deeply, or has keys that are not text; leave it out")
    if not isinstance(value, str | int | float):
        row.refuse(f"the column {name!r} has {type(value).__name__}, not text or a number; convert it or leave it out")
    return _unicode(row, name, value) if isinstance(value, str) else value


class _BytesError(Exception):
    """Bytes in a value."""


def _as_text(value: object) -> str:
    """Return a value that JSON does not have as text."""
    if isinstance(value, bytes):
        raise _BytesError
    return str(value)


def _as_float(value: Decimal | int) -> float | str:
    """Return a number as a float; as text if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return str(value)


def _type_of(value: str | float, *, is_typed: bool) -> ColumnType:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if value < _INT64 else "number"
    if not is_typed and _INTEGER.fullmatch(str(value)):
        return "integer"
    return "number" if isinstance(value, float) or (not is_typed and _NUMBER.fullmatch(value)) else "text"


def _joined(first: ColumnType | None, second: ColumnType) -> ColumnType:
    """Return the type of a column that has values of two types."""
    if first is None or first == second:
        return second
    return "number" if {first, second} == {"integer", "number"} else "text"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."

"""`IndexSettings`: what an index was made with, stored as JSON in the metadata of its dataset."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from rowspace.errors import FileFormatError
from rowspace.files.strict_json import is_count
from rowspace.search.reading.files import FileTime

__all__ = [
    "SETTINGS_KEY",
    "ColumnType",
    "IndexSettings",
    "RecordColumns",
    "dump_settings",
    "read_metadata",
    "read_settings",
]

SETTINGS_KEY = "rowspace"
"""The key of the metadata."""

_VERSION = 4

ColumnType = Literal["integer", "number", "boolean", "text"]
"""How the values of a column are compared; texts if they have several types."""
_TYPES = get_args(ColumnType)


@dataclass(frozen=True)
class RecordColumns:
    """The columns of records.

    Attributes:
        text: That of the texts.
        id: That of the ids; None if records have the numbers of their lines.
        title: That of the titles; None if there is none.
        types: All others, the metadata, with their types.
    """

    text: str
    id: str | None
    title: str | None
    types: Mapping[str, ColumnType]


@dataclass(frozen=True)
class IndexSettings:
    """What an index was made with.

    Attributes:
        fingerprint: Fingerprint of the encoder.
        dim: The width of its vectors.
        table: The path of its table, if known.
        roots: The files and folders that were indexed; none for records of Python.
        max_chars, max_megabytes, ann_from: See `IndexOptions`.
        records: The columns of an index of records; None for one of files.
        times: The size and time of each file of records when it was read.
    """

    fingerprint: str
    dim: int
    table: str | None
    roots: tuple[str, ...]
    max_chars: int
    max_megabytes: int
    ann_from: int
    records: RecordColumns | None = None
    times: Mapping[str, FileTime] = field(default_factory=dict, repr=False)


def dump_settings(settings: IndexSettings) -> str:
    """Return settings as JSON."""
    return json.dumps({"version": _VERSION, **asdict(settings)})


def read_settings(metadata: Mapping[bytes, bytes], source: str) -> IndexSettings:
    """Return the settings in the metadata of a dataset.

    Args:
        metadata: The metadata of its schema.
        source: The path of the index, for messages.

    Returns:
        The settings.

    Raises:
        FileFormatError: If there are none, or those of another version.
    """
    try:
        document = json.loads(metadata[SETTINGS_KEY.encode()])
        version = document.pop("version")
        settings = _settings_of(document) if version == _VERSION else None
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        message = f"{source}: this LanceDB table was not written by rowspace index; name another folder"
        raise FileFormatError(message) from error
    if settings is None:
        is_older = type(version) is int and 1 <= version < _VERSION
        remedy = "build it" if is_older else "upgrade with pip install -U rowspace, or build it"
        raise FileFormatError(
            f"{source}: the index has version {version!r:.40}, this rowspace reads {_VERSION}; {remedy} again with "
            "--rebuild"
        )
    if not _is_valid(settings):
        raise FileFormatError(f"{source}: the settings of the index are damaged; build it again with --rebuild")
    return settings


def read_metadata(stored: str, columns: RecordColumns) -> dict[str, Any]:
    """Return the metadata of a record; numbers of CSV are stored as text.

    >>> read_metadata('{"year": "1999", "language": "de"}', RecordColumns("text", None, None, {"year": "integer"}))
    {'year': 1999, 'language': 'de'}
    """
    found: dict[str, Any] = json.loads(stored)
    casts = {"integer": int, "number": float}
    for name, value in found.items():
        kind = columns.types.get(name)
        if isinstance(value, str) and kind in casts:
            with suppress(ValueError):  # an update that was killed has not stored that the column has other texts
                found[name] = casts[kind](value)
    return found


def _settings_of(document: dict[str, Any]) -> IndexSettings:
    records = document["records"]
    columns = None if records is None else RecordColumns(**records)
    times = {path: (size, time) for path, (size, time) in document.pop("times", {}).items()}
    return IndexSettings(**document | {"roots": tuple(document["roots"]), "records": columns, "times": times})


def _is_valid(settings: IndexSettings) -> bool:
    """Whether each setting has its type."""
    texts = [settings.fingerprint, *settings.roots, *([] if settings.table is None else [settings.table])]
    counts = [settings.dim, settings.max_chars, settings.max_megabytes, settings.ann_from]
    counts += [number for time in settings.times.values() for number in time]
    if (columns := settings.records) is not None:
        texts += [columns.text, *(each for each in (columns.id, columns.title) if each is not None)]
        if not isinstance(columns.types, dict) or any(kind not in _TYPES for kind in columns.types.values()):
            return False
    return all(type(text) is str for text in texts) and all(map(is_count, counts))

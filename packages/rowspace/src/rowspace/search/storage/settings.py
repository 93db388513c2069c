"""`IndexSettings`: what an index was made with, stored as JSON in the metadata of its dataset."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from rowspace.errors import FileFormatError
from rowspace.files.strict_json import is_count

__all__ = ["SETTINGS_KEY", "IndexSettings", "dump_settings", "read_settings"]

SETTINGS_KEY = "rowspace"
"""The key of the metadata."""

_VERSION = 3


@dataclass(frozen=True)
class IndexSettings:
    """What an index was made with.

    Attributes:
        fingerprint: Fingerprint of the encoder.
        dim: The width of its vectors.
        table: The path of its table, if known.
        roots: The files and folders that were indexed.
        max_chars, max_megabytes, ann_from: See `IndexOptions`.
    """

    fingerprint: str
    dim: int
    table: str | None
    roots: tuple[str, ...]
    max_chars: int
    max_megabytes: int
    ann_from: int


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
        settings = IndexSettings(**document | {"roots": tuple(document["roots"])}) if version == _VERSION else None
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


def _is_valid(settings: IndexSettings) -> bool:
    """Whether each setting has its type."""
    texts = [settings.fingerprint, *settings.roots, *([] if settings.table is None else [settings.table])]
    counts = (settings.dim, settings.max_chars, settings.max_megabytes, settings.ann_from)
    return all(type(text) is str for text in texts) and all(map(is_count, counts))

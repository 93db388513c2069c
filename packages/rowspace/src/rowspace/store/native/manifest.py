"""rowspace.json: what a native folder holds, how the table was learned, and the size and SHA-256 of each file.

It is the last file written and the first one read. It carries a checksum of itself, so that damage is found before
anything else in it is used.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import is_count, parse_object
from rowspace.files.transformers_folder import CONFIG, MODEL, TOKENIZER
from rowspace.store.tokenizer import MODULES

__all__ = [
    "FILES",
    "MARKER",
    "OPTIONAL",
    "OUTPUTS",
    "SUBWORDS",
    "VOCABULARY",
    "FileRecord",
    "Manifest",
    "installed_versions",
    "plain_settings",
]

MARKER = "rowspace.json"
VOCABULARY, SUBWORDS, OUTPUTS = "vocabulary.safetensors", "subwords.safetensors", "outputs.safetensors"
FILES = (MODEL, VOCABULARY, TOKENIZER, CONFIG, MODULES)
OPTIONAL = (SUBWORDS, OUTPUTS)  # where a table has them
FORMAT = "rowspace table"
FORMAT_VERSION = 1
MAX_SIZE = 100_000_000
RECORDED = ("rowspace", "numpy", "numba", "tokenizers")


@dataclass(frozen=True)
class FileRecord:
    """One file's size in bytes and its SHA-256 in hexadecimal."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The content of rowspace.json.

    Attributes:
        num_embeddings: The size V of the vocabulary.
        embedding_dim: The width of a row.
        dtype: numpy's name of the dtype of the rows.
        unknown_rows: Number of rows of zeros that follow the V rows in model.safetensors.
        own_tokenizer: False if tokenizer.json was built from the vocabulary, for other libraries to read.
        settings: How the table was learned.
        versions: The versions of rowspace and its libraries that wrote it.
        files: Size and checksum of each file.
    """

    num_embeddings: int
    embedding_dim: int
    dtype: str
    unknown_rows: int
    own_tokenizer: bool
    settings: Mapping[str, object]
    versions: Mapping[str, str]
    files: Mapping[str, FileRecord]

    def to_bytes(self) -> bytes:
        """Write it as JSON, with a checksum of the rest."""
        document: dict[str, object] = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}
        document["sha256"] = _checksum(document)
        return (json.dumps(document, indent=1) + "\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes, source: str) -> "Manifest":
        """Read what `to_bytes` wrote; raises `FileFormatError`, naming `source`, on anything else."""
        document = parse_object(data, source)
        if document.pop("format", None) != FORMAT:
            raise FileFormatError(f"{source}: not written by rowspace ('format' is not {FORMAT!r}); name a saved table")
        written = document.pop("format_version", None)
        if is_count(written) and written > FORMAT_VERSION:
            raise FileFormatError(
                f"{source}: format version {written} of a newer rowspace; this one reads {FORMAT_VERSION}; "
                "upgrade with: pip install -U rowspace"
            )
        checksum = document.pop("sha256", None)
        if checksum != _checksum({"format": FORMAT, "format_version": written, **document}):
            raise FileFormatError(f"{source}: changed since it was saved (its own checksum differs); restore it")
        return _from_document(document, source)


def installed_versions() -> dict[str, str]:
    """Return the versions of rowspace and of what it computes with, by name.

    >>> sorted(installed_versions())
    ['numba', 'numpy', 'rowspace', 'tokenizers']
    """
    return {name: version(name) for name in RECORDED}


def plain_settings(settings: Mapping[str, object]) -> dict[str, object]:
    """Return `settings` as JSON will give them back: numpy's numbers become Python's, tuples become lists.

    Raises `UsageError` with the name of one that JSON cannot hold.

    >>> plain_settings({"dim": np.int64(100), "betas": (0.9, 0.95)})
    {'dim': 100, 'betas': [0.9, 0.95]}
    >>> plain_settings({"corpus": {1, 2}})
    Traceback (most recent call last):
    rowspace.errors.UsageError: setting 'corpus' cannot be saved: a set; give text, numbers, lists or mappings
    """
    plain = {}
    for name, value in settings.items():
        if not isinstance(name, str):
            raise UsageError(f"setting {name!r} cannot be saved: its name must be text")
        try:
            plain[name] = json.loads(json.dumps(value, default=_from_numpy))
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(
                f"setting {name!r} cannot be saved: {error}; give text, numbers, lists or mappings"
            ) from None
    return plain


def _from_numpy(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")


def _checksum(document: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _from_document(document: dict[str, Any], source: str) -> Manifest:
    """Check the types of the fields, which a correct checksum does not guarantee."""
    checks = {
        "num_embeddings": is_count,
        "embedding_dim": is_count,
        "dtype": lambda value: isinstance(value, str),
        "unknown_rows": is_count,
        "own_tokenizer": lambda value: isinstance(value, bool),
        "settings": lambda value: isinstance(value, dict),
        "versions": lambda value: isinstance(value, dict),
        "files": _is_file_list,
    }
    if set(document) != set(checks):
        raise FileFormatError(f"{source}: must hold {', '.join(checks)}; restore it")
    for name, is_right in checks.items():
        if not is_right(document[name]):
            raise FileFormatError(f"{source}: {name!r} has an invalid value: {document[name]!r:.80}; restore it")
    files = {name: FileRecord(**record) for name, record in document.pop("files").items()}
    return Manifest(**document, files=files)


def _is_file_list(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(record, dict)
        and set(record) == {"size", "sha256"}
        and is_count(record["size"])
        and isinstance(record["sha256"], str)
        for record in value.values()
    )

"""`save` and `load` for every format: known by content when read, by name or suffix when written.

A format is one module with `load`, `save`, `recognises` and `check_target`, and one line in `FORMATS`.
Left out: the formats themselves. Read next: `native.py`, `word2vec.py`.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rowspace.atomic import StrPath, kept_beside
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.store import native, word2vec
from rowspace.table import Table

__all__ = ["check_target", "load", "save"]


@dataclass(frozen=True)
class Format:
    """What can be done with one format; names that end in one of `suffixes` are saved in it."""

    name: str
    suffixes: tuple[str, ...]
    is_directory: bool
    recognises: Callable[[Path], bool]
    load: Callable[[Path, bool], Table]
    save: Callable[[Table, StrPath], None]
    check_target: Callable[[StrPath], None]


NATIVE = Format(
    "native",
    suffixes=(),
    is_directory=True,
    recognises=native.recognises,
    load=lambda path, verify: native.load(path, verify=verify),
    save=native.save,
    check_target=native.check_target,
)
WORD2VEC = Format(
    "word2vec",
    suffixes=(".bin",),
    is_directory=False,
    recognises=word2vec.recognises,
    load=lambda path, verify: word2vec.load(path),  # the format has no checksums
    save=word2vec.save,
    check_target=word2vec.check_target,
)
FORMATS = (NATIVE, WORD2VEC)
OPENS = "a directory saved by rowspace or a word2vec .bin file"

# What people try to open and what to do about it, by the first bytes of the file.
HINTS = {
    b"\x1f\x8b": "it is compressed: unpack it with gunzip first",
    b"\xfd7zXZ\0": "it is compressed: unpack it with xz -d first",
    b"\x28\xb5\x2f\xfd": "it is compressed: unpack it with zstd -d first",
    b"PK\x03\x04": "it is a zip archive (.npz, .zip or a PyTorch checkpoint)",
    b"\xba\x16\x4f\x2f": "it is a fastText model, whose .vec file gensim turns into word2vec .bin",
}


def load(path: StrPath, *, verify: bool = False) -> Table:
    """Open the table at `path`, in any format known here, recognised from its content.

    The rows of a directory are mapped, read from the disk when first touched; those of a word2vec file are
    read. `verify` also compares every byte with the saved checksums, where the format has them. Raises
    `UsageError` where nothing is at `path`, and `FileFormatError` where what is there is damaged or of
    another kind.

    >>> load("no-such-table")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rowspace.errors.UsageError: nothing is at 'no-such-table'; expected ...
    """
    source = _existing(path)
    is_directory = source.is_dir()
    for known in FORMATS:
        if known.is_directory == is_directory and known.recognises(source):
            return known.load(source, verify)
    raise FileFormatError(f"{source}: {_found(source)}; expected {OPENS}: check the path")


def save(table: Table, path: StrPath, *, format: str | None = None) -> None:
    """Write `table` to `path`, all at once: a process killed at any moment leaves the old or the new whole.

    `format` is "native" (a directory) or "word2vec" (a file); None takes "word2vec" for a path that ends in
    .bin and "native" for any other. Raises `UsageError` on an unknown format, a table that the format
    cannot hold, or a path where something else stands, and `RowspaceError` where the system refuses (disk
    full, no permission).

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("pets", "pets.bin"):
    ...         save(Table(["cat", "dog"], np.eye(2, dtype=np.float32)), f"{folder}/{name}")
    ...         print(load(f"{folder}/{name}")["dog"].tolist())
    [0.0, 1.0]
    [0.0, 1.0]
    """
    _format_to_write(path, format).save(table, path)


def check_target(path: StrPath, *, format: str | None = None) -> None:
    """Raise what `save` to `path` would raise about the path and the format: call it before long work.

    >>> check_target("table", format="excel")
    Traceback (most recent call last):
    rowspace.errors.UsageError: unknown format 'excel'; give 'native' or 'word2vec', or leave it out
    """
    _format_to_write(path, format).check_target(path)


def _format_to_write(path: StrPath, name: str | None) -> Format:
    if name is None:
        suffix = Path(path).suffix.lower()
        return next((known for known in FORMATS if suffix in known.suffixes), NATIVE)
    for known in FORMATS:
        if known.name == name:
            return known
    names = " or ".join(repr(known.name) for known in FORMATS)
    raise UsageError(f"unknown format {name!r}; give {names}, or leave it out")


def _existing(path: StrPath) -> Path:
    text = os.fspath(path)
    source = Path(text)
    if text and "\0" not in text:
        try:
            if source.exists():
                return source
        except OSError as error:
            raise RowspaceError(
                f"{text}: cannot be read: {error.strerror}; check the path and its permissions"
            ) from error
        kept = kept_beside(source)
        if kept is not None:
            raise UsageError(
                f"nothing is at {text}, because a save to it was cut short; the old one is whole in {kept}: "
                f"rename that to {text} (the next save to it does so too)"
            )
    raise UsageError(f"nothing is at {text!r}; expected {OPENS}: check the path")


def _found(source: Path) -> str:
    """Say what is there instead of a table."""
    if source.is_dir():
        names = sorted(entry.name for entry in source.iterdir())
        return f"a directory without rowspace.json (it holds {', '.join(names[:3])})" if names else "an empty directory"
    with source.open("rb") as file:
        start = file.read(8)
    if not start:
        return "an empty file"
    hint = next((hint for magic, hint in HINTS.items() if start.startswith(magic)), f"it begins with {start!r}")
    return f"a file of another kind ({hint})"

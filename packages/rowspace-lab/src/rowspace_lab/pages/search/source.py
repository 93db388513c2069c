"""`SearchSource`: what the page searches, which only the command line names, and where its indexes are."""

import importlib.util
import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rowspace._base.atomic import atomic_file
from rowspace._base.work_folder import cache_dir
from rowspace.encode import Encoder
from rowspace.encode.modes import check_modules, is_contextual_at, mode_at
from rowspace.encode.options import Mode
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.search import Index
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import short_hash

__all__ = [
    "IndexPlace",
    "SearchSource",
    "encoder_of",
    "is_of_a_sentence_encoder",
    "missing_extra",
    "open_encoder",
    "open_index",
    "remove_unused",
]

DAYS_KEPT = 30
_PACKAGES = ("lance", "pyarrow")


def missing_extra() -> str | None:
    """Return what to install before files can be indexed and searched, or None."""
    if all(importlib.util.find_spec(name) for name in _PACKAGES):
        return None
    return "The search needs Lance and readers of documents: pip install 'rowspace[search]'"


def open_encoder(table: Table, path: str | None) -> Encoder:
    """Return the encoder of a table with the rules that `rowspace index` uses for it.

    Args:
        table: The table.
        path: Where it was opened, if it is in a file.

    Raises:
        UsageError: The table has no tokenizer, or the model has modules that an encoder cannot run.
    """
    mode: Mode = "rowspace"
    if path is not None:
        with suppress(RowspaceError):  # the path is only a name
            mode = mode_at(path)
    if mode == "sentence-transformers":
        check_modules(Path(str(path)))
    return Encoder(table, mode=mode)


def encoder_of(lab: Lab) -> Encoder:
    """Return the encoder of a table of the workbench, made once."""
    return lab.cached("search/encoder", lambda: open_encoder(lab.table, lab.path if lab.code is None else None))


def is_of_a_sentence_encoder(lab: Lab) -> bool:
    """Whether a table has the rows of the tokens of a model that decides vectors by the context."""
    return lab.code is None and _is_contextual(lab.path)


def _is_contextual(path: str | None) -> bool:
    with suppress(RowspaceError):  # it may be damaged, or gone
        return path is not None and is_contextual_at(Path(path))
    return False


@dataclass(frozen=True)
class IndexPlace:
    """Where the index of the page's files with one table is, or will be.

    Attributes:
        path: The folder of the index.
        roots: The files and folders that it has.
        is_named: Whether the command line has named this index; otherwise it is in the cache.
        other_table: The table of the index that the command line has named, if that is not this one.
    """

    path: Path
    roots: tuple[str, ...]
    is_named: bool = False
    other_table: str | None = None

    @property
    def exists(self) -> bool:
        """Whether there is an index, perhaps of some of the files only."""
        return Index.exists(self.path)

    @property
    def base(self) -> Path:
        """The folder to which paths are relative."""
        return Path(_common(self.roots)) if self.roots else Path()  # none for records of Python

    def last_run(self) -> Mapping[str, Any] | None:
        """Return what the last complete run of the page has written; None if there is none."""
        with suppress(OSError, ValueError):
            found = json.loads(self._record.read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else None
        return None

    def record(self, run: Mapping[str, Any] | None) -> None:
        """Store what a complete run did; None: a run begins. An index that the command line has named has no record."""
        if self.is_named:
            return
        if run is None:
            self._record.unlink(missing_ok=True)
            return
        with atomic_file(self._record) as file:
            file.write(json.dumps(run).encode())

    @property
    def _record(self) -> Path:
        return self.path.parent / "run.json"


@dataclass(frozen=True)
class SearchSource:
    """What the page searches.

    Attributes:
        path: A folder, a file, or an index; None is the working folder.
    """

    path: Path | None = None

    def place(self, encoder: Encoder) -> IndexPlace:
        """Return where the index for a table is: the named one if this table made it, else one in the cache.

        Raises:
            FileFormatError: The named index is damaged.
            UsageError: Another table made it, and it has records, or that is a sentence encoder.
        """
        path, other = (self.path or Path()).resolve(), None
        roots: tuple[str, ...] = (str(path),)
        if self.path is not None and Index.exists(path):
            settings = Index.open(path).settings
            if settings.fingerprint == encoder.fingerprint:
                return IndexPlace(path, settings.roots, is_named=True)
            if _is_contextual(settings.table):
                raise UsageError(
                    f"a sentence encoder made the index {path}, and this page shows what the rows of words add up to; "
                    f"search it with rowspace search {path}"
                )
            if settings.records is not None:
                raise UsageError(f"{path} is an index of records; choose the table that made it, {settings.table}")
            roots, other = settings.roots, settings.table or "one that it does not name"
        name = short_hash(encoder.fingerprint, *roots)
        return IndexPlace(cache_dir() / "search" / name / "index", roots, other_table=other)


def open_index(place: IndexPlace, encoder: Encoder) -> Index | None:
    """Open the index at a place; None if there is none, or a damaged one in the cache, which a run replaces."""
    if not place.exists:
        return None
    if not place.is_named:
        os.utime(place.path.parent)  # tells `remove_unused` when it was last opened
    try:
        return Index.open(place.path, encoder)
    except FileFormatError:
        if place.is_named:
            raise
        return None


def remove_unused() -> None:
    """Remove the indexes in the cache that were last opened more than `DAYS_KEPT` days ago."""
    oldest = time.time() - DAYS_KEPT * 86_400
    for folder in (cache_dir() / "search").glob("*/"):
        with suppress(OSError):  # another process may remove it, too
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder)


def _common(paths: tuple[str, ...]) -> str:
    common = os.path.commonpath(paths)
    return common if Path(common).is_dir() else str(Path(common).parent)

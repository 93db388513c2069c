"""Tables and checkpoints of this machine: in a working folder, and in the local cache of the Hugging Face hub."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rowspace.errors import RowspaceError
from rowspace.store import load
from rowspace.store.formats import FORMATS, format_of
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice, short_hash

__all__ = ["find_recent", "hub_cache"]

MAX_DEPTH = 2  # folders below the working folder
# Text formats are not searched: any file with lines of numbers would be one.
SUFFIXES = {suffix for known in FORMATS for suffix in known.suffixes} - {".txt", ".tsv"}


def hub_cache() -> Path:
    """Return the folder in which Hugging Face's libraries keep downloaded models, which may not exist.

    The environment variables are those of huggingface_hub: HF_HUB_CACHE, then HF_HOME, then XDG_CACHE_HOME.
    """
    if kept := os.environ.get("HF_HUB_CACHE"):
        return Path(kept)
    home = os.environ.get("HF_HOME")
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return (Path(home) if home else caches / "huggingface") / "hub"


def find_recent(folder: Path, hub: Path, *, limit: int = 20, max_paths: int = 400) -> list[TableChoice]:
    """Return the tables in `folder`, up to two folders deep, and in the snapshots of `hub`, newest first.

    Args:
        folder: The working folder.
        hub: A folder of models, as of `hub_cache`.
        limit: The maximum number of tables from each of the two.
        max_paths: The maximum number of files and folders that are examined in each of the two.
    """
    found = [_choice(path, str(path.relative_to(folder))) for path in islice(_tables_in(folder, max_paths), limit)]
    snapshots = _by_age(hub.glob("models--*/snapshots/*"), max_paths)
    for path in islice(filter(_is_table, snapshots), limit):
        name = path.parent.parent.name.removeprefix("models--").replace("--", "/")
        found.append(_choice(path, name))
    return found


def _choice(path: Path, title: str) -> TableChoice:
    """Return a table to choose; its id is a hash of the path, so that addresses do not show the path."""
    id = f"recent-{short_hash(path.absolute())}"
    where = "A table or model found in the working folder or in the local Hugging Face cache."
    return TableChoice(id, title, where, "recent", lambda: Lab(load(path), str(path), id))


def _tables_in(folder: Path, max_paths: int) -> Iterator[Path]:
    """Yield the tables of a folder, breadth first, without looking into folders that are tables or hidden."""
    level, examined = [folder], 0
    for _ in range(MAX_DEPTH + 1):
        below = []
        for path in (entry for parent in level for entry in _by_age(_entries(parent), max_paths)):
            examined += 1
            if examined > max_paths:
                return
            if _is_table(path):
                yield path
            elif path.is_dir() and not path.is_symlink():
                below.append(path)
        level = below


def _entries(folder: Path) -> Iterator[Path]:
    """Yield the files and folders in a folder that are not hidden; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            yield from (Path(entry.path) for entry in entries if not entry.name.startswith("."))
    except OSError:
        return


def _is_table(path: Path) -> bool:
    """Return whether a folder, or a file with the suffix of a table, is one."""
    try:
        return (path.is_dir() or path.suffix.lower() in SUFFIXES) and bool(format_of(path))
    except (RowspaceError, OSError):
        return False


def _by_age(paths: Iterator[Path], max_paths: int) -> list[Path]:
    """Return the first `max_paths` of the paths, newest first."""
    return sorted(islice(paths, max_paths), key=_modified, reverse=True)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0

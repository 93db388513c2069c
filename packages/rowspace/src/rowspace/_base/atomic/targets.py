"""Validate the target of a save before long work, and translate errors of the system into messages."""

import errno
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rowspace.errors import RowspaceError, UsageError

__all__ = ["FULL", "check_file_target", "check_folder_target", "name_with_suffix", "translate_os_errors"]

StrPath = str | os.PathLike[str]

# Files that file managers add to every folder they open: they do not prevent a replacement and need not be preserved.
CLUTTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})

FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "a file grew past the size that the system allows",
}
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/", re.ASCII)  # `pathlib` joins its slashes
MAX_NAME = 255  # bytes: the limit of most file systems
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def check_folder_target(
    path: StrPath, *, marker: str = "rowspace.json", contents: Collection[str] | None = None
) -> Path:
    """Check that a folder can be saved to `path`; call it before long work, to fail early.

    The target may be missing or empty, or contain the file `marker`. This keeps `rowspace fit -o ~` from replacing a
    home directory.

    Args:
        path: The target.
        marker: The file that shows that an existing folder was written by rowspace.
        contents: If given, the only other names that an existing folder may contain.

    Returns:
        The path with symbolic links resolved.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If there is no permission to write there.

    >>> check_folder_target("/")
    Traceback (most recent call last):
    rowspace.errors.UsageError: cannot save to /: it is a mount point; name a folder inside it
    """
    target = _resolved(path)
    if not target.exists():
        return target
    if not target.is_dir():
        raise UsageError(f"cannot save to {target}: it is a file, but a folder would be written; name another path")
    if os.path.ismount(target):
        raise UsageError(f"cannot save to {target}: it is a mount point; name a folder inside it")
    with translate_os_errors(target):
        names = {entry.name for entry in os.scandir(target)} - CLUTTER
    foreign = sorted(names - {marker, *(names if contents is None else contents)})
    if names and (marker not in names or foreign):
        what = f"it also holds {foreign[0]!r}" if marker in names else f"it is not empty and holds no {marker}"
        raise UsageError(
            f"cannot save to {target}: {what}, so replacing it could delete files that rowspace did not write; "
            "name a new path or an empty folder"
        )
    with suppress(FileNotFoundError):  # the current folder itself may be gone
        if target == Path.cwd():
            raise UsageError(f"cannot save to {target}: it is the current folder; name a folder inside it")
    return target


def check_file_target(path: StrPath, *, is_same_kind: Callable[[Path], bool] | None = None) -> Path:
    """Check that a file can be saved to `path`: it is missing or a regular file; call it before long work.

    Args:
        path: The target.
        is_same_kind: If given, an existing file that is not empty must satisfy it.

    Returns:
        The path with symbolic links resolved.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If there is no permission to write there.

    >>> check_file_target("/dev/null")
    Traceback (most recent call last):
    rowspace.errors.UsageError: cannot save to /dev/null: it is not a regular file; name another path
    """
    target = _resolved(path)
    if target.is_dir():
        raise UsageError(f"cannot save to {target}: it is a folder, but a file would be written; name another path")
    if target.exists() and not target.is_file():
        raise UsageError(f"cannot save to {target}: it is not a regular file; name another path")
    if is_same_kind is not None and target.exists() and target.stat().st_size and not is_same_kind(target):
        raise UsageError(f"cannot save to {target}: a file of another kind is there; remove it or name another path")
    return target


def name_with_suffix(name: str, suffix: str) -> str:
    """Return `name` + `suffix`; if that is too long for a file system, a hash replaces the end of the name.

    Args:
        name: A file name.
        suffix: Its ending, such as ".fit".

    Returns:
        A name of at most 255 bytes that differs for different names.

    >>> name_with_suffix("table", ".fit"), len(name_with_suffix("x" * 255, ".fit"))
    ('table.fit', 255)
    """
    if len(os.fsencode(name + suffix)) <= MAX_NAME:
        return name + suffix
    ending = f"-{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}{suffix}"
    while len(os.fsencode(name + ending)) > MAX_NAME:
        name = name[:-1]  # a whole character: half of one is not a legal name everywhere
    return name + ending


@contextmanager
def translate_os_errors(target: Path, kinds: Collection[int] | None = None) -> Iterator[None]:
    """Translate an `OSError` into a `RowspaceError` with a clear message.

    Args:
        target: The path that is saved to, for the message.
        kinds: The error numbers to translate; by default all.

    Yields:
        Nothing.

    Raises:
        RowspaceError: If the block raises such an error.
    """
    try:
        yield
    except OSError as error:
        if kinds is not None and error.errno not in kinds:
            raise
        if error.errno in FULL:
            why = f"{FULL[error.errno]}; free some space or name a path on another disk"
        elif error.errno in FORBIDDEN:
            why = f"no permission to write in {target.parent}; name another path"
        else:
            why = f"{error.strerror or error}; name another path"
        raise RowspaceError(f"cannot save to {target} (existing files are unchanged): {why}") from error


def _resolved(path: StrPath) -> Path:
    """Resolve the links in `path` and check that its parent exists and is writable."""
    text = os.fspath(path)
    if not text or "\0" in text:
        raise UsageError(f"cannot save to {text!r}: a path needs at least one character and no NUL")
    if text == "-":
        raise UsageError("cannot save to '-', as standard output is not a place for it; name a file or a folder")
    if _URL.match(text):
        raise UsageError(
            f"cannot save to {text}: only tables and vectors are saved at URLs; name a path on this machine"
        )
    target = Path(os.path.realpath(text))
    with translate_os_errors(target):
        if not target.parent.is_dir():
            raise UsageError(f"cannot save to {target}: the folder {target.parent} does not exist; create it first")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if target.is_symlink():
            raise UsageError(f"cannot save to {target}: its symbolic links form a loop; name another path")
        with suppress(FileNotFoundError):
            target.lstat()  # raises for a name that is too long
    return target

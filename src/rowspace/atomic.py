"""Atomic replacement of a file or a directory: a process killed at any time leaves the old or the new whole.

All is written into a hidden sibling, `.rowspace-<target>-<machine>-<process>-<random>.tmp`, pushed to the
disk, and swapped in: a file by a rename, a directory by the kernel's exchange of two names (Linux, macOS).
Where the file system has no exchange, the old directory is first renamed to such a name that ends in
`.old`. A process killed between those two renames leaves it there: `kept_beside` finds it, and the next
save puts it back first. What dead processes left behind for a target is removed by the next save to it.

Left out: what goes into the files, and locks: of two processes that save to one path, the last one wins.
Read next: `store/native.py`.
"""

import ctypes
import errno
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from rowspace.errors import RowspaceError, UsageError

__all__ = ["atomic_directory", "atomic_file", "check_directory_target", "check_file_target", "kept_beside"]

StrPath = str | os.PathLike[str]

# What file managers drop into every folder they show: never a reason to refuse, never worth keeping.
CLUTTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})

FULL = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EFBIG: "a file grew past the size that the system allows",
}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def atomic_directory(
    path: StrPath, *, marker: str = "rowspace.json", contents: Collection[str] | None = None
) -> Iterator[Path]:
    """Yield an empty folder beside `path` to write into; when the block ends it becomes `path`, all at once.

    `marker` and `contents` say which existing directory may be replaced (see `check_directory_target`). An
    exception inside the block leaves `path` as it was and nothing beside it. Raises `UsageError` where `path`
    may not be replaced, and `RowspaceError` where the system refuses: a full disk, no permission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_directory(f"{folder}/table") as new:
    ...         _ = (new / "rowspace.json").write_text("{}")
    ...     [file.name for file in Path(folder, "table").iterdir()]
    ['rowspace.json']
    """
    target = check_directory_target(path, marker=marker, contents=contents)
    temporary = _hidden_sibling(target, "tmp")
    try:
        with _said_clearly(target):
            _clear_leftovers(target)
            temporary.mkdir()
        with _said_clearly(target, kinds=FULL):
            yield temporary
        # A fit may have taken hours since the first look.
        check_directory_target(path, marker=marker, contents=contents)
        with _said_clearly(target):
            _sync_tree(temporary)
            _swap_in(temporary, target)
    finally:
        _remove(temporary)  # after an exchange this is the old directory


@contextmanager
def atomic_file(path: StrPath) -> Iterator[BinaryIO]:
    """Yield a binary file to write to; when the block ends it becomes `path`, all at once.

    An exception inside the block leaves `path` as it was and nothing beside it. Raises as `atomic_directory`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/answer") as file:
    ...         _ = file.write(b"42")
    ...     Path(folder, "answer").read_bytes()
    b'42'
    """
    target = check_file_target(path)
    temporary = _hidden_sibling(target, "tmp")
    try:
        with _said_clearly(target):
            _clear_leftovers(target)
            file = temporary.open("xb")
        with _said_clearly(target, kinds=FULL), file:
            yield file
        with _said_clearly(target):
            _sync(temporary)
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
            _sync(target.parent)
    finally:
        _remove(temporary)


def check_directory_target(
    path: StrPath, *, marker: str = "rowspace.json", contents: Collection[str] | None = None
) -> Path:
    """Return where a directory saved to `path` will be, symbolic links followed, or raise `UsageError`.

    The place may be new, empty, or hold the file `marker` and, where `contents` is given, no other names than
    those: this keeps `rowspace fit -o ~` from replacing a home folder. Call it early, before long work.

    >>> check_directory_target("/")
    Traceback (most recent call last):
    rowspace.errors.UsageError: cannot save to /: it is a mount point; name a folder inside it
    """
    target = _resolved(path)
    if not target.exists():
        return target
    if not target.is_dir():
        raise UsageError(
            f"cannot save to {target}: a file is there and a directory is to be written; name another path"
        )
    if os.path.ismount(target):
        raise UsageError(f"cannot save to {target}: it is a mount point; name a folder inside it")
    with _said_clearly(target):
        names = {entry.name for entry in os.scandir(target)} - CLUTTER
    foreign = sorted(names - {marker, *(names if contents is None else contents)})
    if names and (marker not in names or foreign):
        what = f"it also holds {foreign[0]!r}" if marker in names else f"it is not empty and holds no {marker}"
        raise UsageError(
            f"cannot save to {target}: {what}, so replacing it could delete what rowspace did not write; "
            "name a new path or an empty folder"
        )
    with suppress(FileNotFoundError):  # the current folder itself may be gone
        if target == Path.cwd():
            raise UsageError(f"cannot save to {target}: it is the current folder; name a folder inside it")
    return target


def check_file_target(path: StrPath) -> Path:
    """Return where a file saved to `path` will be, symbolic links followed, or raise `UsageError`.

    The place may be new or a regular file. Call it before long work, to fail early.

    >>> check_file_target("/dev/null")
    Traceback (most recent call last):
    rowspace.errors.UsageError: cannot save to /dev/null: it is not a regular file; name another path
    """
    target = _resolved(path)
    if target.is_dir():
        raise UsageError(
            f"cannot save to {target}: a directory is there and a file is to be written; name another path"
        )
    if target.exists() and not target.is_file():
        raise UsageError(f"cannot save to {target}: it is not a regular file; name another path")
    return target


def kept_beside(path: StrPath) -> Path | None:
    """Find the old directory that a save killed between its two renames left beside a missing `path`.

    >>> kept_beside("no-such-table") is None
    True
    """
    target = Path(os.path.realpath(path))
    if target.exists() or not target.parent.is_dir():
        return None
    return next((entry for entry, _ in _siblings(target) if entry.suffix == ".old"), None)


def _resolved(path: StrPath) -> Path:
    """`path` with links followed, in a parent that exists and can be written to."""
    text = os.fspath(path)
    if not text or "\0" in text:
        raise UsageError(f"cannot save to {text!r}: a path needs at least one character and no NUL")
    target = Path(os.path.realpath(text))
    with _said_clearly(target):
        if not target.parent.is_dir():
            raise UsageError(f"cannot save to {target}: the folder {target.parent} does not exist; make it first")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if target.is_symlink():
            raise UsageError(f"cannot save to {target}: its symbolic links lead in a circle; name another path")
        with suppress(FileNotFoundError):
            target.lstat()  # a name that is too long shows here
    return target


@contextmanager
def _said_clearly(target: Path, kinds: Collection[int] | None = None) -> Iterator[None]:
    """Turn a refusal of the system into one sentence; of the numbers in `kinds` only, where given."""
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
        raise RowspaceError(f"cannot save to {target} (what was there is untouched): {why}") from error


def _swap_in(temporary: Path, target: Path) -> None:
    """Give `temporary` the name `target`; a directory that had it ends under `temporary` or is removed."""
    if not target.exists():
        temporary.rename(target)
        _sync(target.parent)
        return
    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    if _exchange(temporary, target):
        _sync(target.parent)
        return
    kept = _hidden_sibling(target, "old")
    target.rename(kept)
    try:
        temporary.rename(target)
    except BaseException:
        kept.rename(target)
        raise
    _sync(target.parent)
    _remove(kept)


def _exchange(first: Path, second: Path, system: str = sys.platform) -> bool:
    """Let two names change places in one step of the kernel; False where system or file system cannot."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if system == "darwin":
            failed = library.renamex_np(os.fsencode(first), os.fsencode(second), 2)  # 2: RENAME_SWAP
        else:
            here = -100  # AT_FDCWD, which absolute paths ignore
            failed = library.renameat2(here, os.fsencode(first), here, os.fsencode(second), 2)  # 2: RENAME_EXCHANGE
    except (AttributeError, TypeError):  # no such function in this C library; no C library to open by None
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}:
        return False
    raise OSError(number, os.strerror(number), str(second))


def _hidden_sibling(target: Path, kind: str) -> Path:
    """Make up a name beside `target`, of fixed length: a target with the longest legal name needs one too."""
    return target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(4)}.{kind}")


def _prefix(target: Path) -> str:
    """Name target and machine: process ids mean something within one machine and process namespace only."""
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    parts = (os.fsencode(target.name), f"{platform.node()} {namespace}".encode())
    return ".rowspace-" + "".join(f"{hashlib.sha256(part).hexdigest()[:8]}-" for part in parts)


def _siblings(target: Path) -> Iterator[tuple[Path, int]]:
    """Yield what saves to `target` from this machine have left beside it, each with its process id."""
    pattern = re.compile(re.escape(_prefix(target)) + r"(\d+)-[0-9a-f]{8}\.(?:tmp|old)")
    for name in sorted(os.listdir(target.parent)):  # noqa: PTH208  # names, to match before any path is built
        match = pattern.fullmatch(name)
        if match:
            yield target.with_name(name), int(match[1])


def _clear_leftovers(target: Path) -> None:
    """Remove what dead processes left beside `target`; an old directory whose name is free gets it back."""
    for leftover, process in _siblings(target):
        if _is_running(process):
            continue
        if leftover.suffix == ".old" and not target.exists():
            leftover.rename(target)
        else:
            _remove(leftover)


def _is_running(process: int) -> bool:
    if sys.platform == "win32":  # there, signal 0 is not a question but Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (
        OSError,
        OverflowError,
    ):  # it runs under another user; or no process has such a number, and we ask no more
        return True
    return True


def _sync_tree(folder: Path) -> None:
    for parent, _, names in os.walk(folder):
        for name in names:
            _sync(Path(parent, name))
        _sync(Path(parent))


def _sync(path: Path) -> None:
    """Have the disk hold what `path` holds; some file systems cannot do this for a folder, and say so."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP} or not path.is_dir():
            raise
    finally:
        os.close(number)


def _remove(path: Path) -> None:
    """Remove a file or a tree; what resists stays for the next save, which is no reason to fail this one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()

"""Write a file or a folder next to its target and swap it in once it is complete."""

import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rowspace._base.atomic.targets import FULL, check_file_target, check_folder_target, translate_os_errors
from rowspace._base.atomic.temporaries import clear_temporaries, hidden_sibling, is_own_temporary, remove

__all__ = ["StrPath", "atomic_file", "atomic_folder", "exchange", "move_file", "swap_in", "sync", "sync_tree"]


def swap_in(temporary: Path, target: Path) -> None:
    """Rename the folder `temporary` to `target`; an old folder of that name becomes `temporary` or is removed."""
    if not target.exists():
        temporary.rename(target)
        sync(target.parent)
        return
    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    if exchange(temporary, target):
        sync(target.parent)
        return
    backup = hidden_sibling(target, "old")
    target.rename(backup)
    try:
        temporary.rename(target)
    except BaseException:
        backup.rename(target)
        raise
    sync(target.parent)
    remove(backup)


def exchange(first: Path, second: Path, system: str = sys.platform) -> bool:
    """Exchange two names in one system call; return False if the system or the file system does not support it."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if system == "darwin":
            failed = library.renamex_np(os.fsencode(first), os.fsencode(second), 2)  # 2: RENAME_SWAP
        else:
            here = -100  # AT_FDCWD, ignored for absolute paths
            failed = library.renameat2(here, os.fsencode(first), here, os.fsencode(second), 2)  # 2: RENAME_EXCHANGE
    except (AttributeError, TypeError):  # the C library lacks the function, or cannot be opened by None
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}:
        return False
    raise OSError(number, os.strerror(number), str(second))


def sync_tree(folder: Path) -> None:
    """Sync all files and folders of a tree to the disk."""
    for parent, _, names in os.walk(folder):
        for name in names:
            sync(Path(parent, name))
        sync(Path(parent))


def sync(path: Path) -> None:
    """Sync a file or a folder to the disk; the error of file systems that cannot sync folders is ignored."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP} or not path.is_dir():
            raise
    finally:
        os.close(number)


StrPath = str | os.PathLike[str]


@contextmanager
def atomic_folder(
    path: StrPath, *, marker: str = "rowspace.json", contents: Collection[str] | None = None
) -> Iterator[Path]:
    """Yield an empty folder next to `path`; when the block ends, it replaces `path` atomically.

    An exception inside the block leaves `path` unchanged and removes the new folder. If `path` is such a new
    folder itself, and still empty, it is yielded: it is replaced as a whole.

    Args:
        path: The target.
        marker: See `check_folder_target`.
        contents: See `check_folder_target`.

    Yields:
        The folder to write to.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If the system refuses: a full disk, no permission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_folder(f"{folder}/table") as new:
    ...         _ = (new / "rowspace.json").write_text("{}")
    ...     [file.name for file in Path(folder, "table").iterdir()]
    ['rowspace.json']
    """
    target = check_folder_target(path, marker=marker, contents=contents)
    if is_own_temporary(target) and not any(target.iterdir()):
        with translate_os_errors(target, kinds=FULL):
            yield target  # a sibling of it would stay forever after a kill, since no later target has its name
        return
    temporary = hidden_sibling(target, "tmp")
    try:
        with translate_os_errors(target):
            clear_temporaries(target)
            temporary.mkdir()
        with translate_os_errors(target, kinds=FULL):
            yield temporary
        # A fit may have taken hours since the first check.
        check_folder_target(path, marker=marker, contents=contents)
        with translate_os_errors(target):
            sync_tree(temporary)
            swap_in(temporary, target)
    finally:
        remove(temporary)  # after an exchange this is the old folder


@contextmanager
def atomic_file(path: StrPath) -> Iterator[BinaryIO]:
    """Yield a binary file to write to; when the block ends, it replaces `path` atomically.

    An exception inside the block leaves `path` unchanged and removes the new file.

    Args:
        path: The target.

    Yields:
        The open file.

    Raises:
        UsageError: If `path` cannot be replaced.
        RowspaceError: If the system refuses: a full disk, no permission.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/answer") as file:
    ...         _ = file.write(b"42")
    ...     Path(folder, "answer").read_bytes()
    b'42'
    """
    target = check_file_target(path)
    temporary = hidden_sibling(target, "tmp")
    try:
        with translate_os_errors(target):
            clear_temporaries(target)
            file = temporary.open("xb")
        with translate_os_errors(target, kinds=FULL), file:
            yield file
        with translate_os_errors(target):
            move_file(temporary, target)
    finally:
        remove(temporary)


def move_file(source: Path, target: Path) -> None:
    """Sync a complete file to the disk and rename it to `target`, in the same file system, with the old file's mode.

    Args:
        source: The file, which is closed.
        target: Its new name; an older file of that name is replaced.
    """
    sync(source)
    if target.exists():
        shutil.copymode(target, source)
    source.replace(target)
    sync(target.parent)

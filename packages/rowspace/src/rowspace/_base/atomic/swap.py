"""Sync what was written to the disk and give it its final name, in one step where the system supports that."""

import ctypes
import errno
import os
import stat
import sys
from pathlib import Path

from rowspace._base.atomic.temporaries import hidden_sibling, remove

__all__ = ["exchange", "swap_in", "sync", "sync_tree"]


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

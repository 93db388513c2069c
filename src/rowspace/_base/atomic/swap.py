"""Giving what was written its name, in one step where the system can, once the disk holds it.

Left out: what to write and where (`replace.py`).
"""

import ctypes
import errno
import os
import stat
import sys
from pathlib import Path

from rowspace._base.atomic.temporaries import hidden_sibling, remove

__all__ = ["exchange", "swap_in", "sync", "sync_tree"]


def swap_in(temporary: Path, target: Path) -> None:
    """Give `temporary` the name `target`; a directory that had it ends under `temporary` or is removed."""
    if not target.exists():
        temporary.rename(target)
        sync(target.parent)
        return
    temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    if exchange(temporary, target):
        sync(target.parent)
        return
    kept = hidden_sibling(target, "old")
    target.rename(kept)
    try:
        temporary.rename(target)
    except BaseException:
        kept.rename(target)
        raise
    sync(target.parent)
    remove(kept)


def exchange(first: Path, second: Path, system: str = sys.platform) -> bool:
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


def sync_tree(folder: Path) -> None:
    """Have the disk hold all files and folders of a tree."""
    for parent, _, names in os.walk(folder):
        for name in names:
            sync(Path(parent, name))
        sync(Path(parent))


def sync(path: Path) -> None:
    """Have the disk hold what `path` holds; some file systems cannot do this for a folder, and say so."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP} or not path.is_dir():
            raise
    finally:
        os.close(number)

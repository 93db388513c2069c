"""A lock that one process holds on a folder while it writes there.

The system releases the lock when the process ends, so a killed fit leaves none. Without `flock` (Windows), or on a file
system without locks, nothing is locked, and two fits to one output are not detected.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # a module elsewhere

__all__ = ["LOCK_NAME", "locked"]

LOCK_NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of an existing folder; yield False if this process or another one already holds it."""
    if fcntl is None:
        yield True
        return
    descriptor = _open_current(folder / LOCK_NAME)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open_current(path: Path) -> int | None:
    """Open and lock the file, again if its last holder removed it in between; None if it is already locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:  # a file system without locks
            return descriptor
        except BaseException:  # Ctrl-C: an open descriptor would keep the lock
            os.close(descriptor)
            raise
        if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
            return descriptor
        os.close(descriptor)

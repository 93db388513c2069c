"""A lock that one process holds on a folder for as long as it writes there.

The system gives the lock back when the process ends, however it ends, so a killed fit leaves none. Where there is no
`flock` (Windows), or the file system has no locks, nothing is locked, and two fits to one output are not noticed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK_NAME", "locked"]

LOCK_NAME = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder that exists; yields False where another holder, of this process or not, has it."""
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
    """Open and lock the file, again if its last holder removed it in between; None where it is locked already."""
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

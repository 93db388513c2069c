"""Standard streams as a shell may hand them over: closed, on a full disk, or a pipe that nobody reads any more.

A closed stream is opened again, so that no data file takes its number. What cannot be written to standard output raises
`OutputError`, once; what cannot be written to standard error is dropped, because a message is no reason to stop work.
Left out: standard input, which stays None where it is closed (`rowspace.text.reading`).
"""

import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rowspace.errors import RowspaceError

__all__ = ["OutputError", "open_streams"]

FULL = {errno.ENOSPC, errno.EDQUOT}


class OutputError(RowspaceError):
    """Standard output cannot be written to; the message is empty where its reader has gone away."""


def open_streams() -> None:
    """Make `sys.stdout` and `sys.stderr` streams that fail as described above."""
    closed = [number for number in (0, 1, 2) if _is_closed(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    sys.stdout = _replaced(sys.stdout, 1, _refuse, is_closed=1 in closed)
    sys.stderr = _replaced(sys.stderr, 2, lambda _error: None, is_closed=2 in closed)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _replaced(stream: object, number: int, on_error: Callable[[OSError], None], *, is_closed: bool) -> io.TextIOWrapper:
    """Return a stream on the same number, with the same encoding, whose failed writes go to `on_error`."""
    old = stream if isinstance(stream, io.TextIOWrapper) else None
    if old is not None and not is_closed:
        with suppress(OSError):
            old.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Writer(number, on_error, is_closed=is_closed)),
        encoding=None if old is None else old.encoding,
        errors="backslashreplace",  # a token that the terminal cannot show is not an error
        line_buffering=number == 2 or (old is not None and old.line_buffering),
        write_through=old is not None and old.write_through,
    )


class _Writer(io.FileIO):
    """Write to a file number; of the first failure `on_error` is told, and what comes after it is dropped."""

    def __init__(self, number: int, on_error: Callable[[OSError], None], *, is_closed: bool) -> None:
        super().__init__(number, "wb", closefd=False)
        self._on_error = on_error
        self._is_closed = is_closed
        self._has_failed = False

    def write(self, data: Any, /) -> int:
        size = memoryview(data).nbytes
        if self._has_failed:
            return size
        try:
            if self._is_closed:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            return super().write(data) or 0
        except OSError as error:
            self._has_failed = True
            self._on_error(error)
            return size


def _refuse(error: OSError) -> None:
    if error.errno == errno.EPIPE:
        raise OutputError("") from error
    if error.errno == errno.EBADF:
        raise OutputError("standard output is closed, so the result cannot be shown; redirect it to a file") from error
    why = "the disk is full; free some space" if error.errno in FULL else f"{error.strerror}; check where it leads"
    raise OutputError(f"standard output cannot be written: {why}") from error

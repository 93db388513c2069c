"""Standard streams that are closed, on a full disk, or a pipe without a reader.

A closed stream is opened again, so that no data file gets its file descriptor. A failed write to standard output raises
`OutputError` once; a failed write to standard error is ignored. Ctrl-C always ends a wait for standard input. A closed
standard input stays None, which `rowspace.text.corpus.reading` checks.
"""

import errno
import io
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rowspace.errors import RowspaceError

__all__ = ["OutputError", "open_streams"]

FULL = {errno.ENOSPC, errno.EDQUOT}


class OutputError(RowspaceError):
    """Standard output cannot be written to; the message is empty if the reader closed the pipe."""


def open_streams() -> None:
    """Replace the standard streams by streams with the behavior described above."""
    closed = [number for number in (0, 1, 2) if _is_closed(number)]
    for _ in closed:
        os.open(os.devnull, os.O_RDWR)  # uses the lowest free descriptor
    sys.stdout = _replaced(sys.stdout, 1, _refuse, is_closed=1 in closed)
    sys.stderr = _replaced(sys.stderr, 2, lambda _error: None, is_closed=2 in closed)
    if isinstance(sys.stdin, io.TextIOWrapper) and 0 not in closed and sys.platform != "win32":  # no select on pipes
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Reader(0)), sys.stdin.encoding, sys.stdin.errors)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


def _replaced(stream: object, number: int, on_error: Callable[[OSError], None], *, is_closed: bool) -> io.TextIOWrapper:
    """Return a stream on the same descriptor, with the same encoding, whose write errors go to `on_error`."""
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
    """Write to a file descriptor; the first failure calls `on_error`, later writes are ignored."""

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


class _Reader(io.RawIOBase):
    """Read from a file descriptor, so that a signal always interrupts the read.

    Python handles signals between two bytecode instructions. A signal that arrives after the last one and before the
    system call would have to wait for the read. Therefore the main thread, which handles signals, waits for input and
    for a pipe, to which Python writes a byte when a signal arrives.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self._file = io.FileIO(number, "rb", closefd=False)
        self._signals, self._on_signal = os.pipe()
        for end in (self._signals, self._on_signal):
            os.set_blocking(end, False)

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def isatty(self) -> bool:
        return self._file.isatty()

    def readinto(self, buffer: Any, /) -> int | None:
        if threading.current_thread() is threading.main_thread():
            before = signal.set_wakeup_fd(self._on_signal, warn_on_full_buffer=False)
            try:
                while not self._has_input():
                    pass  # a signal arrived, and its handler did not raise
            finally:
                signal.set_wakeup_fd(before)
        return self._file.readinto(buffer)

    def _has_input(self) -> bool:
        """Wait for input or a signal; a function, since Python handles pending signals when a function starts."""
        ready, _, _ = select.select([self._file.fileno(), self._signals], [], [])
        if self._signals in ready:
            os.read(self._signals, select.PIPE_BUF)
        return self._file.fileno() in ready


def _refuse(error: OSError) -> None:
    if error.errno == errno.EPIPE:
        raise OutputError("") from error
    if error.errno == errno.EBADF:
        raise OutputError(
            "standard output is closed, so the result cannot be printed; redirect it to a file"
        ) from error
    why = "the disk is full; free some space" if error.errno in FULL else f"{error.strerror}; check the redirection"
    raise OutputError(f"standard output cannot be written: {why}") from error

"""Ctrl-C and SIGTERM: an immediate exit while there is nothing to clean up, an exception while there is.

Python raises `KeyboardInterrupt` wherever it happens to be. During an import that is a traceback, or a line
"Exception ignored in ..." after which the program goes on. Left out: how a fit saves what it has learned
(`rowspace.learn.interrupt`).
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

__all__ = ["INTERRUPTED", "cleanup_on_interrupt", "exit_on_interrupt"]

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal."""


def exit_on_interrupt() -> None:
    """From here on, let Ctrl-C end the process at once; a process that was started to ignore it still does."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


@contextmanager
def cleanup_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM raise an exception inside the block, so that it removes what it has half written."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    if before[signal.SIGINT] is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _raise_exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(_number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"rowspace: stopped\n")
    os._exit(INTERRUPTED)


def _raise_exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)

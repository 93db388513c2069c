"""Ctrl-C and SIGTERM: an immediate exit while there is nothing to clean up, an exception otherwise.

Python can raise `KeyboardInterrupt` anywhere. During an import, this prints a traceback, or "Exception ignored in ...",
after which the program continues.
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
    """Let Ctrl-C end the process immediately from now on, unless the process was started to ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


@contextmanager
def cleanup_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM raise an exception inside the block, so that it can remove incomplete files."""
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

"""Ctrl-C and SIGTERM: a request to stop at a safe point, an exception, or an immediate exit.

Python can raise `KeyboardInterrupt` anywhere. During an import, this prints a traceback, or "Exception ignored in ...",
after which the program continues.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

__all__ = ["INTERRUPTED", "cleanup_on_interrupt", "exit_on_interrupt", "stop_requests"]

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of the signal."""


@contextmanager
def stop_requests(requested: threading.Event | None = None) -> Iterator[threading.Event]:
    """Yield an event that the first SIGINT or SIGTERM sets; a second one is handled as before.

    Python delivers signals to its main thread only: in other threads they do not set the event.

    Args:
        requested: The event, if others may set it too; a new one by default.
    """
    requested = requested or threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield requested
        return
    before = _handlers()

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        requested.set()
        _restore(before)

    for number in before:
        signal.signal(number, request_stop)
    try:
        yield requested
    finally:
        _restore(before)


def exit_on_interrupt() -> None:
    """Let Ctrl-C end the process immediately from now on, unless the process was started to ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit)


@contextmanager
def cleanup_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM raise an exception inside the block, so that it can remove incomplete files."""
    before = _handlers()
    if before[signal.SIGINT] is _exit:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _raise_exit)
    try:
        yield
    finally:
        _restore(before)


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}


def _restore(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _exit(_number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"rowspace: stopped\n")
    os._exit(INTERRUPTED)


def _raise_exit(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)

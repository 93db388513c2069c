"""Ctrl-C and SIGTERM as a request to stop at a safe point."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["stop_requests"]


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
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        requested.set()
        restore()

    for number in before:
        signal.signal(number, request_stop)
    try:
        yield requested
    finally:
        restore()

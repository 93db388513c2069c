"""Forked children that are killed with SIGKILL, at a random moment or at a line; the kill_*.py scripts use them."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable

__all__ = ["kill_at_line", "run_in_child"]


def run_in_child(work: Callable[[], object], *, delay: float | None = None) -> int:
    """Run `work` in a forked child; kill it after `delay` seconds, or wait for it to exit, and return its status."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)
    if delay is not None:
        time.sleep(delay)  # not waiting for anything: the random delay is what the test varies
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at_line(stop: int, parts: tuple[str, ...]) -> Callable[[object, str, object], object]:
    """Return a trace function that kills the process at the `stop`-th line of files whose path has one of `parts`."""
    seen = 0

    def trace(frame, event, _):
        nonlocal seen
        if not any(part in frame.f_code.co_filename for part in parts):
            return None
        if event == "line":
            seen += 1
            if seen == stop:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace

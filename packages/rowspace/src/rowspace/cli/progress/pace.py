"""`Pace`: when another line of progress is due, and times as text."""

import math
import time
from datetime import timedelta

__all__ = ["SECONDS_BETWEEN_LINES", "Pace", "duration"]

SECONDS_BETWEEN_LINES = 10.0
LINES_PER_STAGE = 10


class Pace:
    """When another line is due."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._step = 0
        self._last = time.monotonic()

    def is_due(self, share: float) -> bool:
        """Whether another 10 % are done, or enough time has passed since the last line."""
        now, step = time.monotonic(), int(share * LINES_PER_STAGE)
        if step == self._step and now - self._last < self.seconds:
            return False
        self._step, self._last = step, now
        return True


def duration(seconds: float) -> str:
    """Return a time in hours, minutes and seconds.

    >>> duration(61.5)
    '0:01:02'
    """
    return str(timedelta(seconds=math.ceil(seconds)))

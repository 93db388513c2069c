"""The progress of long commands on standard error: bars on a terminal; elsewhere `Pace`, when a line is due."""

import math
import os
import sys
import time
from datetime import timedelta

from rich.progress import BarColumn, Progress as RichProgress, TextColumn

from rowspace.cli.output import console_on

__all__ = ["SECONDS_BETWEEN_LINES", "Pace", "duration", "make_bars", "uses_bars"]

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


def uses_bars() -> bool:
    """Whether standard error is a terminal that can move the cursor."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def make_bars() -> RichProgress:
    """Return an empty set of bars on standard error, whose tasks have a description and the field `facts`."""
    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[facts]}", justify="right"),
        TextColumn(" "),  # room for the terminal's ^C, which would move the bars down by a line
        console=console_on(sys.stderr),
        expand=True,
    )

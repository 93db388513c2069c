"""The progress of commands that count files, records or passages."""

import sys

from rowspace._base.plural import plural
from rowspace.cli.output import message
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, uses_bars

__all__ = ["CountReporter"]


class CountReporter:
    """The progress on standard error: a line that is written again on a terminal, a line at intervals elsewhere.

    Args:
        noun: What is counted, such as "file".
        verb: What was done with it.
    """

    def __init__(self, noun: str, verb: str = "read") -> None:
        self._is_terminal = uses_bars()
        self._pace = Pace(0.1 if self._is_terminal else SECONDS_BETWEEN_LINES)
        self._noun, self._verb, self._is_started = noun, verb, False

    def __call__(self, done: int, total: int) -> None:
        """Report the number of items done, and that of all, which is 0 if it is not known."""
        if self._pace.is_due(0):
            self._is_started = True
            count = f"{done:,} of {plural(total, self._noun)}" if total else plural(done, self._noun)
            sentence = f"{self._verb} {count}"
            if not self._is_terminal:
                message(sentence)
                return
            print(f"\r{sentence}", end="", file=sys.stderr, flush=True)
        if done == total and self._is_started and self._is_terminal:
            print(f"\r{' ' * 40}\r", end="", file=sys.stderr, flush=True)

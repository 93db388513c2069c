"""The progress of commands that encode or count: a bar or a line on a terminal, lines at intervals elsewhere."""

import sys
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rowspace._base.plural import plural
from rowspace.cli.output import message
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, duration, make_bars, uses_bars

if TYPE_CHECKING:
    from rowspace.encode import StreamProgress

__all__ = ["CountReporter", "EncodeBar", "EncodeLines", "encode_reporter", "text_rate"]


def encode_reporter() -> "EncodeBar | EncodeLines":
    """Return a bar for a terminal, lines otherwise."""
    return EncodeBar() if uses_bars() else EncodeLines()


def text_rate(texts: int, seconds: float) -> str:
    """Return a speed as text.

    >>> text_rate(30, 2.0), text_rate(30_000, 2.0)
    ('15 texts/s', '15.0 k texts/s')
    """
    rate = texts / max(1e-3, seconds)
    return f"{rate:.0f} texts/s" if rate < 1000 else f"{rate / 1e3:.1f} k texts/s"


def _stage(progress: "StreamProgress") -> str:
    if progress.saved_texts is not None:
        return "writing the file"
    return "encoding" if progress.texts else "reading the columns"


def _done(progress: "StreamProgress") -> tuple[int, int | None]:
    """Return how much of how much is done: bytes, or texts while the output is written; None if all is unknown."""
    if progress.saved_texts is not None:
        return progress.saved_texts, progress.texts
    return progress.bytes, progress.total_bytes


class _Reporter(AbstractContextManager["_Reporter"]):
    """Measures the speed since it was created."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: there is nothing to close."""

    def facts(self, progress: "StreamProgress") -> str:
        """Return texts, speed and time left as text; the time of the first pass over records does not count."""
        if not progress.texts:
            self._start = time.monotonic()
            return ""
        if progress.saved_texts is not None:
            return f"{progress.saved_texts:,} of {plural(progress.texts, 'text')}"
        seconds = max(1e-3, time.monotonic() - self._start)
        rate = f"{plural(progress.texts, 'text')}, {text_rate(progress.new_texts, seconds)}"
        if not progress.total_bytes or not progress.bytes:
            return rate
        return f"{rate}, {duration((progress.total_bytes - progress.bytes) * seconds / progress.bytes)} left"


class EncodeBar(_Reporter):
    """A progress bar; other messages appear above it."""

    def __init__(self) -> None:
        super().__init__()
        self._bars = make_bars()
        self._task = self._bars.add_task("encoding", total=None, facts="")

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def on_progress(self, progress: "StreamProgress") -> None:
        """Advance the bar."""
        done, total = _done(progress)
        self._bars.update(
            self._task, description=_stage(progress), total=total, completed=done, facts=self.facts(progress)
        )


class EncodeLines(_Reporter):
    """A line at each 10 % of the bytes, and at least every `seconds_between` seconds."""

    def __init__(self, *, seconds_between: float = SECONDS_BETWEEN_LINES) -> None:
        super().__init__()
        self._pace = Pace(seconds_between)

    def on_progress(self, progress: "StreamProgress") -> None:
        """Print how much is encoded, if a line is due."""
        done, total = _done(progress)
        share = done / total if total else 0.0
        if self._pace.is_due(share):
            percent = f"{share:.0%}, " if total else ""
            message(f"{_stage(progress)}: {percent}{self.facts(progress)}".rstrip(", "))


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

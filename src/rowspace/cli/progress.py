"""The progress of a fit on standard error: bars on a terminal, lines at intervals elsewhere.

Both have the callbacks of `rowspace.learn.Reports`.
"""

import math
import os
import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress as RichProgress, TaskID, TextColumn

from rowspace._base.plural import plural
from rowspace.cli.output import console_on, file_size, message

if TYPE_CHECKING:
    from rowspace.learn import Progress
    from rowspace.text import IdCorpus

__all__ = ["Bars", "Lines", "Pace", "duration", "make_bars", "progress_reporter", "uses_bars"]

SECONDS_BETWEEN_LINES = 10.0
LINES_PER_STAGE = 10


def progress_reporter(total_bytes: int | None) -> "Bars | Lines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is the size of the corpus, if known."""
    return Bars(total_bytes) if uses_bars() else Lines(total_bytes)


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


class Bars:
    """A progress bar for reading and one for learning; other messages appear above them."""

    def __init__(self, total_bytes: int | None) -> None:
        self._reading = _Reading(total_bytes)
        self._bars = make_bars()
        self._read = self._bars.add_task("reading", total=total_bytes, facts="")
        self._learned: TaskID | None = None
        self._unit = "words"

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def on_bytes(self, count: int) -> None:
        """Advance the bar for reading."""
        self._reading.add(count)
        self._bars.update(self._read, completed=self._reading.done, facts=self._reading.facts())

    def on_vocabulary(self, corpus: "IdCorpus") -> None:
        """Complete the bar for reading."""
        self._unit = _unit(corpus)
        self._bars.update(self._read, total=1, completed=1, facts=_vocabulary_facts(corpus))

    def on_progress(self, progress: "Progress") -> None:
        """Advance the bar for learning; a resumed fit has no other."""
        if self._learned is None:
            self._learned = self._bars.add_task("", total=progress.total_words, facts="")
            if not self._bars.tasks[self._read].finished:
                self._bars.update(self._read, visible=False)
        self._bars.update(
            self._learned,
            description=f"epoch {progress.epoch}/{progress.epochs}",
            completed=progress.words,
            facts=_learning_facts(progress, self._unit),
        )


class Lines:
    """A line at each 10 % of the work, and at least every `seconds_between` seconds."""

    def __init__(self, total_bytes: int | None, *, seconds_between: float = SECONDS_BETWEEN_LINES) -> None:
        self._reading = _Reading(total_bytes)
        self._pace = Pace(seconds_between)
        self._unit = "words"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: there is nothing to close."""

    def on_bytes(self, count: int) -> None:
        """Print how much has been read."""
        self._reading.add(count)
        if self._pace.is_due(self._reading.share):
            message(f"reading: {self._reading.facts()}")

    def on_vocabulary(self, corpus: "IdCorpus") -> None:
        """Print what was read."""
        self._unit = _unit(corpus)
        message(f"read: {_vocabulary_facts(corpus)}")
        self._pace = Pace(self._pace.seconds)

    def on_progress(self, progress: "Progress") -> None:
        """Print how much has been learned."""
        share = progress.words / progress.total_words
        if self._pace.is_due(share):
            facts = _learning_facts(progress, self._unit)
            message(f"learning: {share:.0%}, epoch {progress.epoch}/{progress.epochs}, {facts}")


class _Reading:
    """How much of a corpus has been read, and how fast."""

    def __init__(self, total: int | None) -> None:
        self.total = total
        self.done = 0
        self._start: float | None = None

    def add(self, count: int) -> None:
        if self._start is None:
            self._start = time.monotonic()
        self.done += count

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0

    def facts(self) -> str:
        now = time.monotonic()
        rate = self.done / max(1e-3, now - (self._start or now))
        if self.total is None:
            return f"{file_size(self.done)}, {file_size(rate)}/s"
        left = duration((self.total - self.done) / max(1.0, rate))
        return f"{file_size(self.done)} of {file_size(self.total)}, {file_size(rate)}/s, {left} left"


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


def _vocabulary_facts(corpus: "IdCorpus") -> str:
    learned, known = len(corpus.vocabulary), len(corpus.tokens())
    number = plural(known - learned, f"of {known:,} is unused", f"of {known:,} are unused")
    unused = f"; {number}" if known > learned else ""
    return f"{corpus.words:,} {_unit(corpus)}, {plural(learned, 'token')} to learn{unused}"


def _unit(corpus: "IdCorpus") -> str:
    return "words" if corpus.token_ids is None else "tokens"


def _learning_facts(progress: "Progress", unit: str) -> str:
    """Return speed, loss, learning rate and time left as text."""
    rate = progress.words / max(1e-3, progress.seconds)
    left = duration((progress.total_words - progress.words) / max(1.0, rate))
    loss = "" if math.isnan(progress.loss) else f"loss {progress.loss:.3f}, "
    return f"{rate / 1e6:.2f} M {unit}/s, {loss}alpha {progress.alpha:.4f}, {left} left"


def duration(seconds: float) -> str:
    """Return a time in hours, minutes and seconds.

    >>> duration(61.5)
    '0:01:02'
    """
    return str(timedelta(seconds=math.ceil(seconds)))

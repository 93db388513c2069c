"""The progress of a fit or a distillation on standard error: bars on a terminal, lines at intervals elsewhere.

Both have the callbacks of `rowspace.learn.Reports`.
"""

import math
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.progress import TaskID

from rowspace._base.plural import plural
from rowspace.cli.output import file_size, message
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, duration, make_bars, uses_bars

if TYPE_CHECKING:
    from rowspace.learn import Progress
    from rowspace.learn.distillation.distill import DistillProgress
    from rowspace.text import IdCorpus

__all__ = [
    "Bars",
    "DistillBars",
    "DistillLines",
    "GraphBars",
    "GraphLines",
    "Lines",
    "distill_reporter",
    "graph_reporter",
    "progress_reporter",
]


def progress_reporter(total_bytes: int | None) -> "Bars | Lines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is the size of the corpus, if known."""
    return Bars(total_bytes) if uses_bars() else Lines(total_bytes)


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
        left = duration(max(0, self.total - self.done) / max(1.0, rate))  # phrases may need another pass
        return f"{file_size(self.done)} of {file_size(self.total)}, {file_size(rate)}/s, {left} left"


def report_lowered_rate(alpha: float, default: float) -> None:
    """Say that the default learning rate would be too high."""
    message(f"alpha starts at {alpha:g}, since the fit would diverge at the default {default:g}; --alpha overrides it")


def _vocabulary_facts(corpus: "IdCorpus") -> str:
    if corpus.extended:
        new = plural(corpus.num_new, "of them is new", "of them are new")
        return f"{corpus.words:,} words, {plural(len(corpus.vocabulary), 'token')} to learn, {new}"
    learned, known = len(corpus.vocabulary), len(corpus.tokens())
    number = plural(known - learned, f"of {known:,} is unused", f"of {known:,} are unused")
    unused = f"; {number}" if known > learned else ""
    return f"{corpus.words:,} {_unit(corpus)}, {plural(learned, 'token')} to learn{unused}"


def _unit(corpus: "IdCorpus") -> str:
    return "words" if corpus.token_ids is None or corpus.extended else "tokens"


def _learning_facts(progress: "Progress", unit: str) -> str:
    """Return speed, loss, learning rate and time left as text."""
    rate = progress.words / max(1e-3, progress.seconds)
    left = duration((progress.total_words - progress.words) / max(1.0, rate))
    loss = "" if math.isnan(progress.loss) else f"loss {progress.loss:.3f}, "
    return f"{rate / 1e6:.2f} M {unit}/s, {loss}alpha {progress.alpha:.4f}, {left} left"


VISITS = "visits"


def graph_reporter(total_bytes: int | None) -> "GraphBars | GraphLines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is the size of the edge list, if known."""
    return GraphBars(total_bytes) if uses_bars() else GraphLines(total_bytes)


class GraphBars(Bars):
    """A progress bar for reading edges and one for learning."""

    def on_graph(self, nodes: int, edges: int, visits: int) -> None:
        """Complete the bar for reading."""
        self._unit = VISITS
        self._bars.update(self._read, total=1, completed=1, facts=_graph_facts(nodes, edges, visits))


class GraphLines(Lines):
    """A line at each 10 % of the work, and at intervals."""

    def on_graph(self, nodes: int, edges: int, visits: int) -> None:
        """Print what was read."""
        self._unit = VISITS
        message(f"read: {_graph_facts(nodes, edges, visits)}")
        self._pace = Pace(self._pace.seconds)


def _graph_facts(nodes: int, edges: int, visits: int) -> str:
    return f"{plural(nodes, 'node')}, {plural(edges, 'edge')}, {visits:,} visits in an epoch"


def distill_reporter(total_bytes: int | None) -> "DistillBars | DistillLines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is what is read of a corpus, if known."""
    return DistillBars(total_bytes) if uses_bars() else DistillLines(total_bytes)


class DistillBars(Bars):
    """A progress bar for reading a corpus and one for the tokens."""

    def on_tokens(self, progress: "DistillProgress") -> None:
        """Advance the bar for the tokens; without a corpus there is no other."""
        if self._learned is None:
            self._learned = self._bars.add_task("distilling", total=progress.total, facts="")
            if not self._bars.tasks[self._read].finished:
                self._bars.update(self._read, visible=False)
        self._bars.update(self._learned, completed=progress.tokens, facts=_facts(progress))


class DistillLines(Lines):
    """A line at each 10 % of the work, and at intervals."""

    def on_tokens(self, progress: "DistillProgress") -> None:
        """Print how many tokens the model has read."""
        if self._pace.is_due(progress.tokens / progress.total):
            message(f"distilling: {_facts(progress)}")


def _facts(progress: "DistillProgress") -> str:
    """Return how much is done, the speed and the time left as text."""
    rate = progress.tokens / max(1e-3, progress.seconds)
    left = duration((progress.total - progress.tokens) / max(1e-3, rate))
    return f"{progress.tokens:,} of {progress.total:,} tokens, {rate:,.0f} tokens/s, {left} left"

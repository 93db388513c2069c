"""The progress of a distillation on standard error: bars on a terminal, lines at intervals elsewhere."""

from typing import TYPE_CHECKING

from rowspace.cli.output import message
from rowspace.cli.progress.fit import Bars, Lines
from rowspace.cli.progress.terminal import duration, uses_bars

if TYPE_CHECKING:
    from rowspace.learn.distillation.distill import DistillProgress

__all__ = ["DistillBars", "DistillLines", "distill_reporter"]


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

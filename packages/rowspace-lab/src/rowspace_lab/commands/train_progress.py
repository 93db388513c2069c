"""The progress of a training on standard error: bars on a terminal, lines at intervals elsewhere."""

import math
from typing import TYPE_CHECKING

from rowspace._base.plural import plural
from rowspace.cli.output import message
from rowspace.cli.progress import Pace, duration, uses_bars
from rowspace.cli.progress.fit import Bars, Lines

if TYPE_CHECKING:
    from rowspace_lab.experiments.language_model.data import Corpora
    from rowspace_lab.experiments.language_model.trainer import TrainProgress

__all__ = ["TrainBars", "TrainLines", "train_reporter"]


def train_reporter(total_bytes: int | None) -> "TrainBars | TrainLines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is the size of the corpus, if known."""
    return TrainBars(total_bytes) if uses_bars() else TrainLines(total_bytes)


class TrainBars(Bars):
    """A progress bar for reading and one for learning."""

    def on_corpus(self, corpora: "Corpora") -> None:
        """Complete the bar for reading."""
        self._bars.update(self._read, total=1, completed=1, facts=_corpus_facts(corpora))

    def on_step(self, progress: "TrainProgress") -> None:
        """Advance the bar for learning; a resumed run has no other."""
        if self._learned is None:
            self._learned = self._bars.add_task("learning", total=progress.steps, facts="")
            if not self._bars.tasks[self._read].finished:
                self._bars.update(self._read, visible=False)
        self._bars.update(self._learned, completed=progress.step, facts=_learning_facts(progress))


class TrainLines(Lines):
    """A line at each 10 % of the work, and at intervals."""

    def on_corpus(self, corpora: "Corpora") -> None:
        """Print what was read."""
        message(f"read: {_corpus_facts(corpora)}")
        self._pace = Pace(self._pace.seconds)

    def on_step(self, progress: "TrainProgress") -> None:
        """Print how much has been learned."""
        if self._pace.is_due(progress.step / progress.steps):
            message(f"learning: step {progress.step:,} of {progress.steps:,}, {_learning_facts(progress)}")


def _corpus_facts(corpora: "Corpora") -> str:
    tokens = plural(len(corpora.train), "token")
    return f"{tokens} of {corpora.num_embeddings:,} different ones, {corpora.held_out_bytes:,} bytes held out"


def _learning_facts(progress: "TrainProgress") -> str:
    """Return speed, loss, the last measurement and time left as text."""
    per_second = progress.tokens / max(1e-3, progress.seconds)
    left = duration((progress.steps - progress.step) * progress.seconds / max(1, progress.step))
    held_out = "" if math.isnan(progress.bits_per_byte) else f"held out {progress.bits_per_byte:.3f} bits per byte, "
    return f"{per_second / 1e3:.1f} k tokens/s, loss {progress.loss:.3f}, {held_out}{left} left"

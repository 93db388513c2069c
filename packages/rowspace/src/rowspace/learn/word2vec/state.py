"""The state of a fit between two chunks of text: rows, options, and progress."""

import dataclasses
import math
from typing import Any

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import NONE_FIXED, check_memory, list_used, make_weights
from rowspace.learn.word2vec.initial import InitialTable
from rowspace.learn.word2vec.kernels.arrays import Weights
from rowspace.learn.word2vec.rates import stable_options
from rowspace.learn.word2vec.sampling import ChunkedCorpus

__all__ = ["FitState"]


@dataclasses.dataclass
class FitState:
    """A fit between two chunks of text.

    Attributes:
        weights: The rows.
        options: How they are learned.
        text: How the corpus was read and tokenized.
        files: A checksum of each file of the corpus.
        epoch: The number of complete epochs.
        chunk: The number of complete chunks of the current epoch.
        merges: How often the rows were merged with those of other machines in the current epoch.
        pairs, loss: Sums over the current epoch.
        losses: The mean loss of each complete epoch.
        seconds: The time spent learning.
        warm_up: Epochs before the others, in which only output rows and new rows are learned.
        initial: The table that the fit continues from; None if the rows started at random.
    """

    weights: Weights
    options: FitOptions
    text: dict[str, Any]
    files: dict[str, int] = dataclasses.field(default_factory=dict)
    epoch: int = 0
    chunk: int = 0
    merges: int = 0
    pairs: float = 0.0
    loss: float = 0.0
    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    warm_up: int = 0
    initial: InitialTable | None = None

    @classmethod
    def start(
        cls, corpus: ChunkedCorpus, options: FitOptions, text: dict[str, Any], initial: InitialTable | None = None
    ) -> "FitState":
        """Return the state before the first chunk, with a default learning rate that does not diverge.

        A fit that continues from a table has half of the default rate, since at the whole rate old rows lose more. If
        the initial table has no output rows, these are learned in an epoch of their own first.

        Raises:
            UsageError: The rows do not fit into memory.
        """
        ngrams = list_used(corpus.vocabulary, corpus.counts, options)
        check_memory(len(corpus.vocabulary), len(ngrams.buckets), options)
        stable = stable_options(options, corpus, ngrams)
        if initial is not None and options.alpha is None and options.freeze == "none":
            half = min(stable.learning_rates[0], options.learning_rates[0] / 2)
            stable = dataclasses.replace(stable, alpha=max(half, options.min_alpha or 0.0))
        options = stable
        if initial is None:
            return cls(make_weights(len(corpus.vocabulary), options, ngrams), options, text)
        warm_up = int(initial.table.outputs is None)
        return cls(initial.weights(options, ngrams), options, text, warm_up=warm_up, initial=initial)

    @property
    def epochs(self) -> int:
        """The number of epochs, with the warm-up."""
        return self.warm_up + self.options.epochs

    def fix_rows(self) -> None:
        """Fix the rows that the current epoch does not move."""
        fixed, is_warm_up = NONE_FIXED, self.epoch < self.warm_up
        if self.initial is not None and (is_warm_up or self.options.freeze == "old"):
            fixed = self.initial.fixed(self.weights, self.options, inputs_only=is_warm_up)
        self.weights = self.weights._replace(fixed=fixed)

    def end_epoch(self) -> None:
        """Count the epoch as complete and reset its sums."""
        self.losses.append(self.loss / max(1.0, self.pairs))
        self.epoch, self.chunk, self.merges, self.pairs, self.loss = self.epoch + 1, 0, 0, 0.0, 0.0

    def release(self, name: str) -> None:
        """Free the memory of "inputs" or "outputs", when nothing is left to learn or save."""
        self.weights = self.weights._replace(**{name: getattr(self.weights, name)[:0].copy()})

    def check(self) -> None:
        """Raise `ValueError` unless all numbers, which may be from a file, have the right type and range."""
        numbers = {"pairs": self.pairs, "loss": self.loss, "seconds": self.seconds}
        numbers |= {f"losses[{i}]": loss for i, loss in enumerate(self.losses)}
        for name, number in numbers.items():
            if type(number) not in (int, float) or not 0 <= number < math.inf:
                raise ValueError(f"{name} is {number!r}")
        for name, count in {"epoch": self.epoch, "chunk": self.chunk, "merges": self.merges}.items():
            if type(count) is not int or count < 0:
                raise ValueError(f"{name} is {count!r}")
        if self.warm_up not in (0, 1) or self.epoch > self.epochs or len(self.losses) != self.epoch:
            raise ValueError(f"epoch is {self.epoch} of {self.epochs}, with {len(self.losses)} losses")

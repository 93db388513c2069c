"""The state of a fit between two chunks of text: rows, options, and progress."""

import dataclasses
import math
from typing import Any

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import check_memory, list_used, make_weights
from rowspace.learn.word2vec.corpus import ChunkedCorpus
from rowspace.learn.word2vec.kernels.arrays import Weights
from rowspace.learn.word2vec.rates import stable_options

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
        pairs, loss: Sums over the current epoch.
        losses: The mean loss of each complete epoch.
        seconds: The time spent learning.
    """

    weights: Weights
    options: FitOptions
    text: dict[str, Any]
    files: dict[str, int] = dataclasses.field(default_factory=dict)
    epoch: int = 0
    chunk: int = 0
    pairs: float = 0.0
    loss: float = 0.0
    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @classmethod
    def start(cls, corpus: ChunkedCorpus, options: FitOptions, text: dict[str, Any]) -> "FitState":
        """Return the state before the first chunk, with a default learning rate that does not diverge.

        Raises:
            UsageError: The rows do not fit into memory.
        """
        ngrams = list_used(corpus.vocabulary, corpus.counts, options)
        check_memory(len(corpus.vocabulary), len(ngrams.buckets), options)
        options = stable_options(options, corpus, ngrams)
        return cls(make_weights(len(corpus.vocabulary), options, ngrams), options, text)

    def end_epoch(self) -> None:
        """Count the epoch as complete and reset its sums."""
        self.losses.append(self.loss / max(1.0, self.pairs))
        self.epoch, self.chunk, self.pairs, self.loss = self.epoch + 1, 0, 0.0, 0.0

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
        for name, count in {"epoch": self.epoch, "chunk": self.chunk}.items():
            if type(count) is not int or count < 0:
                raise ValueError(f"{name} is {count!r}")
        if self.epoch > self.options.epochs or len(self.losses) != self.epoch:
            raise ValueError(f"epoch is {self.epoch} of {self.options.epochs}, with {len(self.losses)} losses")

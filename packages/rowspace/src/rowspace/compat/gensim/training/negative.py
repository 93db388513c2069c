"""Learning with rowspace's own kernels: skip-gram and CBOW with negative sampling, with n-grams or without."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.compat.gensim.training.corpus import EncodedText, LearningOptions
from rowspace.compat.gensim.training.kernels import SKIPGRAM
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import empty_weights, list_used
from rowspace.learn.word2vec.divergence import Watch
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer

__all__ = ["NegativeLearner", "NgramRows", "WordRows"]

Rows = NDArray[np.float32]
CHUNK, MIN_CHUNK = 32_768, 1_024  # ids that are learned at a time, in a long text and in a short one


class NgramRows(NamedTuple):
    """The rows of n-grams, one for each bucket."""

    rows: Rows  # (buckets, d)
    min_n: int
    max_n: int


class WordRows(NamedTuple):
    """What is learned: arrays that are changed in place."""

    vocabulary: list[Any]
    counts: NDArray[np.int64]
    inputs: Rows  # (V, d)
    outputs: Rows  # (V, d)
    ngrams: NgramRows | None = None


@dataclass
class _TextCorpus:
    """The ids in memory, in the chunks that a trainer reads; see `ChunkedCorpus`."""

    ids: NDArray[np.int32]
    vocabulary: list[str]
    counts: NDArray[np.int64]
    words: int

    @property
    def length(self) -> int:
        """The number of ids of a chunk."""
        return min(CHUNK, max(MIN_CHUNK, len(self.ids) // 64))

    @property
    def num_chunks(self) -> int:
        return -(-len(self.ids) // self.length)

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        return self.ids[number * self.length : (number + 1) * self.length]

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        yield self.ids


class _SummedState(FitState):
    """A state that keeps the summed loss of all epochs."""

    total_loss: float = 0.0

    def end_epoch(self) -> None:
        self.total_loss += self.loss
        super().end_epoch()


class _FiniteWatch(Watch):
    """Raises only for rows or losses that are not finite.

    The mean loss says nothing here: a model that is trained further starts with rows that are far from zero.
    """

    def within_epoch(self) -> None:
        if not np.isfinite(self.state.loss):
            raise self._error(self.state.epoch + 1, self.state.loss)

    def end_of_epoch(self, pairs: float) -> None:
        if not self.rows_are_finite():
            raise self._error(self.state.epoch, self.state.losses[-1])


class NegativeLearner:
    """Learns rows, one epoch at a time; `write_back` copies them into the model.

    Args:
        options: How.
        text: The sentences.
        rows: What is learned.
    """

    def __init__(self, options: LearningOptions, text: EncodedText, rows: WordRows) -> None:
        self.rows = rows
        vocabulary = [str(word) for word in rows.vocabulary]
        counts = np.maximum(rows.counts, 1)
        corpus = _TextCorpus(text.ids, vocabulary, counts, text.words)
        fit_options = _fit_options(options, rows, text)
        ngrams = list_used(vocabulary, counts, fit_options)
        self.state = _SummedState(empty_weights(len(vocabulary), fit_options, ngrams), fit_options, {})
        self._copy(into_model=False)
        self._trainer = Trainer(corpus, self.state)
        self._trainer.watch = _FiniteWatch(self.state, counts)

    @property
    def loss(self) -> float:
        """The summed loss of all complete epochs."""
        return self.state.total_loss

    def run_epoch(self) -> None:
        """Learn the whole text once.

        Raises:
            FitDiverged: The learning rate was too high; the rows are not changed by this epoch.
        """
        self._trainer.run_epoch(lambda _: False)

    def write_back(self) -> None:
        """Copy what was learned into the arrays of `rows`."""
        self._copy(into_model=True)

    def _copy(self, *, into_model: bool) -> None:
        weights, rows = self.state.weights, self.rows
        size, dim = rows.inputs.shape
        pairs = [(rows.inputs, weights.inputs[:size, :dim]), (rows.outputs, weights.outputs[:size, :dim])]
        for model, learned in pairs:
            np.copyto(*((model, learned) if into_model else (learned, model)))
        if rows.ngrams is not None and into_model:
            rows.ngrams.rows[weights.ngrams.buckets] = weights.ngrams.rows[:, :dim]
        elif rows.ngrams is not None:
            weights.ngrams.rows[:, :dim] = rows.ngrams.rows[weights.ngrams.buckets]


def _fit_options(options: LearningOptions, rows: WordRows, text: EncodedText) -> FitOptions:
    """Return the options of `rowspace.fit` that mean the same as gensim's."""
    ngrams: dict[str, Any] = {}
    if rows.ngrams is not None:
        table = rows.ngrams
        ngrams = {"subwords": True, "min_n": table.min_n, "max_n": table.max_n, "buckets": len(table.rows)}
    return FitOptions(
        dim=options.dim,
        model="skipgram" if options.mode == SKIPGRAM else "cbow",
        epochs=options.epochs,
        window=options.window,
        shrink_windows=options.shrink,
        negatives=options.negatives,
        ns_exponent=options.ns_exponent,
        sample=options.sample if options.sample < 1 else options.sample / float(np.maximum(rows.counts, 1).sum()),
        alpha=options.alpha,
        min_alpha=options.alpha_end,
        cbow_gradient="word2vec",
        workers=options.threads(len(text.ids) // MIN_CHUNK),
        seed=options.seed,
        **ngrams,
    )

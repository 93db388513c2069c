"""`train`: from sentences to learned weights, by the fast learner where the options allow it."""

import logging
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from rowspace.compat.gensim.errors import NotReadyError
from rowspace.compat.gensim.training.corpus import (
    EncodedText,
    LearningOptions,
    check_corpus,
    encode_sentences,
    sentences_of,
)
from rowspace.compat.gensim.training.general import GeneralLearner, make_outputs, sampler_of, word_parts
from rowspace.compat.gensim.training.kernels import CBOW, SKIPGRAM
from rowspace.compat.gensim.training.model_vocabulary import ModelVocabulary
from rowspace.compat.gensim.training.negative import NegativeLearner, WordRows
from rowspace.errors import UsageError

__all__ = ["ModelTraining"]

logger = logging.getLogger(__name__)
ALPHA_WARNING = "Effective 'alpha' higher than previous training cycles"
BOTH_WARNING = "Both hierarchical softmax and negative sampling are activated. The model learns by both."
SEEDS = 2**62


class ModelTraining(ModelVocabulary):
    """Training of a model with a vocabulary; the base of `Word2Vec`."""

    alpha: float
    min_alpha: float
    min_alpha_yet_reached: float
    window: int
    sg: int
    cbow_mean: int
    epochs: int
    workers: int
    batch_words: int
    shrink_windows: bool
    compute_loss: bool
    callbacks: Iterable[Any]
    running_training_loss: float
    train_count: int
    total_train_time: float

    def train(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        total_examples: int | None = None,
        total_words: int | None = None,
        epochs: int | None = None,
        start_alpha: float | None = None,
        end_alpha: float | None = None,
        word_count: int = 0,
        queue_factor: int = 2,
        report_delay: float = 1.0,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        **keywords: Any,
    ) -> tuple[int, int]:
        """Learn from a corpus, starting from the weights that the model has.

        The corpus is read once for all epochs, and its order is changed in each.

        Args:
            corpus_iterable: Lists of words; words that are not in the vocabulary are left out.
            corpus_file: The path of a file with a sentence on each line.
            total_examples: The number of sentences, usually `model.corpus_count`.
            total_words: The number of words, in place of `total_examples`.
            epochs: Passes over the corpus, usually `model.epochs`.
            start_alpha: The learning rate at the start, by default `model.alpha`.
            end_alpha: The learning rate at the end, by default `model.min_alpha`.
            word_count: Not used, like `queue_factor` and `report_delay`.
            queue_factor: Not used.
            report_delay: Not used.
            compute_loss: Keep the summed loss, for `get_latest_training_loss`.
            callbacks: `CallbackAny2Vec` objects.
            **keywords: Not used.

        Returns:
            The numbers of words that were learned and read, over all epochs.

        Raises:
            NotReadyError: There is no vocabulary.
            UsageError: `epochs`, or both `total_examples` and `total_words`, are missing.
            FitDiverged: The learning rate was too high.
        """
        check_corpus(corpus_iterable, corpus_file)
        self.alpha, self.min_alpha = start_alpha or self.alpha, end_alpha or self.min_alpha
        self.epochs = epochs = self._check_training(epochs, total_examples, total_words)
        self.compute_loss, self.running_training_loss = compute_loss, 0.0
        text, extra = self._encode(corpus_iterable, corpus_file)
        if total_examples is not None and text.sentences != total_examples:
            logger.warning("total_examples is %i, but the corpus has %i sentences", total_examples, text.sentences)
        start = time.monotonic()
        called = [*callbacks]
        for callback in called:
            callback.on_train_begin(self)
        self._learn(text, extra, epochs, called)
        self.train_count += 1
        self.total_train_time += time.monotonic() - start
        self.min_alpha_yet_reached = self.min_alpha
        self._after_training()
        for callback in called:
            callback.on_train_end(self)
        return epochs * int((text.ids >= 0).sum()), epochs * text.words

    def _check_training(self, epochs: int | None, total_examples: int | None, total_words: int | None) -> int:
        """Return the epochs; raise what is missing for training, and warn of unusual settings."""
        if self.alpha > self.min_alpha_yet_reached:
            logger.warning(ALPHA_WARNING)
        if self.hs and self.negative:
            logger.warning(BOTH_WARNING)
        if not self.hs and not self.negative:
            raise UsageError("negative must be at least 1, or hs must be 1: with neither there is nothing to learn")
        if not len(self.wv):
            raise NotReadyError(
                "the model has no vocabulary; call build_vocab, or lower min_count if all words were rare"
            )
        if total_words is None and total_examples is None:
            raise UsageError("train needs total_examples or total_words, usually total_examples=model.corpus_count")
        if epochs is None or epochs <= 0:
            raise UsageError(f"epochs must be at least 1, usually epochs=model.epochs; got {epochs}")
        if not self._has_outputs():
            raise NotReadyError("the model has vectors only, and no weights to learn with; call build_vocab first")
        return epochs

    def _has_outputs(self) -> bool:
        """Whether there is a row for each word in what vectors are scored against."""
        names = ["syn1"] * bool(self.hs) + ["syn1neg"] * bool(self.negative)
        return all(len(getattr(self, name, ())) == len(self.wv) for name in names)

    def _encode(self, corpus_iterable: Any, corpus_file: Any) -> tuple[EncodedText, Any]:
        """Return the ids of a corpus, and what else a subclass reads from it."""
        return encode_sentences(sentences_of(corpus_iterable, corpus_file), self.wv.key_to_index), None

    def _options(self, epochs: int) -> LearningOptions:
        return LearningOptions(
            dim=self.vector_size,
            mode=SKIPGRAM if self.sg else CBOW,
            window=self.window,
            shrink=bool(self.shrink_windows),
            negatives=self.negative,
            softmax=bool(self.hs),
            mean=bool(self.cbow_mean),
            sample=self.sample,
            ns_exponent=self.ns_exponent,
            alpha=self.alpha,
            alpha_end=min(self.min_alpha, self.alpha),
            epochs=epochs,
            workers=self.workers,
            batch_words=self.batch_words,
            seed=(abs(int(self.seed)) * 1_000_003 + self.train_count) % SEEDS,
        )

    def _learn(self, text: EncodedText, extra: Any, epochs: int, callbacks: list[Any]) -> None:
        """Learn all epochs; `extra` is what `_encode` returned."""
        options = self._options(epochs)
        if self._is_fast():
            learner = NegativeLearner(options, text, self._word_rows())
            for epoch in range(epochs):
                self._begin_epoch(callbacks)
                if len(text.ids):
                    learner.run_epoch()
                if callbacks or epoch == epochs - 1:
                    learner.write_back()
                self._end_epoch(learner.loss, callbacks)
        else:
            general = self._general_learner(options, text, extra)
            for epoch in range(epochs):
                self._begin_epoch(callbacks)
                general.run_epoch(epoch)
                self._end_epoch(general.loss, callbacks)

    def _begin_epoch(self, callbacks: list[Any]) -> None:
        for callback in callbacks:
            callback.on_epoch_begin(self)

    def _end_epoch(self, loss: float, callbacks: list[Any]) -> None:
        self.running_training_loss = loss if self.compute_loss else 0.0
        self.wv.norms = None
        if callbacks:
            self._after_training()
        for callback in callbacks:
            callback.on_epoch_end(self)

    def _is_fast(self) -> bool:
        """Whether rowspace's own kernels learn this model."""
        can_mean = bool(self.sg or self.cbow_mean)
        return bool(self.negative and not self.hs and can_mean and (self.wv.vectors_lockf == 1).all())

    def _word_rows(self) -> WordRows:
        """Return what the fast learner changes."""
        self.wv.vectors = _writable(self.wv.vectors)
        self.syn1neg = _writable(self.syn1neg)
        counts = self.wv.expandos["count"]
        return WordRows(self.wv.index_to_key, counts, self.wv.vectors, self.syn1neg)

    def _general_learner(self, options: LearningOptions, text: EncodedText, extra: Any) -> GeneralLearner:
        """Return the learner of all other options."""
        self.wv.vectors = _writable(self.wv.vectors)
        parts = word_parts(self.wv.vectors, self.wv.vectors_lockf.astype(np.float32))
        return GeneralLearner(options, text, sampler_of(self.wv.expandos["count"], options), parts, self._outputs())

    def _outputs(self) -> Any:
        """Return what vectors are scored against, in the form that the kernel reads."""
        tree = negative = None
        if self.hs:
            tree = self.syn1 = _writable(self.syn1)
        if self.negative:
            negative = self.syn1neg = _writable(self.syn1neg)
        return make_outputs(tree, negative, self.paths)

    def _after_training(self) -> None:
        """Compute what depends on learned weights."""

    def get_latest_training_loss(self) -> float:
        """Return the summed loss of the last call of `train`, which must have had `compute_loss=True`."""
        return self.running_training_loss


def _writable(rows: Any) -> Any:
    """Return float32 rows that can be learned: read-only rows of a file are copied."""
    return np.require(rows, np.float32, ["C", "W"])

"""`Word2Vec`: skip-gram and CBOW, learned by rowspace's kernels, with gensim's arguments and methods."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np

from rowspace.compat.gensim.errors import NotReadyError
from rowspace.compat.gensim.saving import Arrays, SaveLoad, named_parts, within
from rowspace.compat.gensim.training import kernels
from rowspace.compat.gensim.training.corpus import check_corpus, encode_sentences
from rowspace.compat.gensim.training.general import make_scratch, rules_of, word_parts
from rowspace.compat.gensim.training.model_training import ModelTraining
from rowspace.compat.gensim.training.sentences import BrownCorpus, LineSentence, PathLineSentences, Text8Corpus
from rowspace.compat.gensim.training.vocabulary import TrimRule
from rowspace.compat.gensim.vectors.keyed_vectors import KeyedVectors
from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["BrownCorpus", "LineSentence", "PathLineSentences", "Text8Corpus", "Word2Vec"]

SAVED = (
    "vector_size", "layer1_size", "alpha", "min_alpha", "min_alpha_yet_reached", "window", "min_count",
    "max_vocab_size", "max_final_vocab", "effective_min_count", "sample", "seed", "workers", "sg", "hs", "negative",
    "ns_exponent", "cbow_mean", "epochs", "null_word", "sorted_vocab", "batch_words", "compute_loss", "comment",
    "shrink_windows", "running_training_loss", "train_count", "total_train_time", "corpus_count", "corpus_total_words",
)  # fmt: skip


class Word2Vec(ModelTraining, SaveLoad):
    """A model that learns vectors of words from sentences.

    Without a corpus the model is empty; `build_vocab` and `train` follow.

    Args:
        sentences: Lists of words, readable several times.
        corpus_file: The path of a file with a sentence on each line, in place of `sentences`.
        vector_size: Length of a vector.
        alpha: The learning rate at the start.
        window: Maximum number of neighbors on each side of a word.
        min_count: Words that occur less often are left out.
        max_vocab_size: While words are counted, the rarest are dropped whenever there are more than this.
        sample: Words with a relative frequency above this are downsampled; 0 keeps all.
        seed: Seed of all random numbers; with one worker, or a small corpus, the results are reproducible.
        workers: Threads; more than the processor has cores are not started.
        min_alpha: The learning rate at the end.
        sg: 1 for skip-gram, 0 for CBOW.
        hs: 1 for hierarchical softmax, which a simpler kernel learns, about ten times slower.
        negative: Negative samples of a word; 0 for none.
        ns_exponent: Negatives are drawn in proportion to count ** ns_exponent.
        cbow_mean: 1 averages the neighbors' vectors, 0 sums them.
        hashfxn: Not used.
        epochs: Passes over the corpus.
        null_word: 1 adds a word that is a NUL character.
        trim_rule: Function of (word, count, min_count) that returns `RULE_KEEP`, `RULE_DISCARD` or `RULE_DEFAULT` of
            `rowspace.compat.gensim.utils`.
        sorted_vocab: 1 orders words by falling count.
        batch_words: Words that a thread learns at a time, with hierarchical softmax.
        compute_loss: Keep the summed loss, for `get_latest_training_loss`.
        callbacks: `CallbackAny2Vec` objects.
        comment: Any text.
        max_final_vocab: At most about so many words are kept, by raising `min_count`.
        shrink_windows: Draw each window's size from 1 to `window`.

    Attributes:
        wv: The vectors, a `KeyedVectors`.
        syn1, syn1neg: (V, vector_size), what vectors are scored against by hierarchical softmax and negative sampling.
        corpus_count, corpus_total_words: Sentences and words of the last corpus of `build_vocab`.

    Source: Mikolov et al. (2013), "Distributed Representations of Words and Phrases and their Compositionality".

    Example:
        >>> model = Word2Vec([["cat", "sat"], ["dog", "sat"]] * 50, vector_size=8, min_count=1)
        >>> model.wv.index_to_key, model.wv["cat"].shape
        (['sat', 'cat', 'dog'], (8,))
    """

    _vectors_class: type[KeyedVectors] = KeyedVectors

    def __init__(
        self,
        sentences: Any = None,
        corpus_file: Any = None,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        sg: int = 0,
        hs: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[[str], int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        trim_rule: TrimRule | None = None,
        sorted_vocab: int = 1,
        batch_words: int = 10_000,
        compute_loss: bool = False,
        callbacks: Iterable[Any] = (),
        comment: str | None = None,
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
    ) -> None:
        self.vector_size = self.layer1_size = int(vector_size)
        self.alpha, self.min_alpha, self.min_alpha_yet_reached = float(alpha), float(min_alpha), float(alpha)
        self.window, self.shrink_windows = int(window), bool(shrink_windows)
        self.min_count, self.effective_min_count = min_count, min_count
        self.max_vocab_size, self.max_final_vocab = max_vocab_size, max_final_vocab
        self.sample, self.seed, self.workers = sample, seed, int(workers)
        self.sg, self.hs, self.negative, self.ns_exponent = int(sg), int(hs), int(negative), ns_exponent
        self.cbow_mean, self.hashfxn, self.epochs = int(cbow_mean), hashfxn, epochs
        self.null_word, self.sorted_vocab, self.batch_words = null_word, sorted_vocab, batch_words
        self.compute_loss, self.running_training_loss, self.comment = compute_loss, 0.0, comment
        self.corpus_count, self.corpus_total_words = 0, 0
        self.train_count, self.total_train_time = 0, 0.0
        self.raw_vocab = Counter()
        if not hasattr(self, "wv"):  # a subclass may have made its own
            self.wv = KeyedVectors(self.vector_size)
        self._check_arguments()
        if sentences is not None or corpus_file is not None:
            self._start(sentences, corpus_file, trim_rule, callbacks)

    def _check_arguments(self) -> None:
        """Raise `UsageError` for numbers that no model can have."""
        for name in ("vector_size", "window", "workers", "epochs", "batch_words"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("alpha", "min_alpha", "sample", "negative"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} must not be negative, got {getattr(self, name)}")

    def _start(self, sentences: Any, corpus_file: Any, trim_rule: TrimRule | None, callbacks: Iterable[Any]) -> None:
        """Build the vocabulary of a corpus and learn from it."""
        check_corpus(sentences, corpus_file, passes=2)
        self.build_vocab(sentences, corpus_file, trim_rule=trim_rule)
        self.train(
            sentences,
            corpus_file,
            total_examples=self.corpus_count,
            total_words=self.corpus_total_words,
            epochs=self.epochs,
            compute_loss=self.compute_loss,
            callbacks=callbacks,
        )

    def __str__(self) -> str:
        return f"{type(self).__name__}<vocab={len(self.wv)}, vector_size={self.vector_size}, alpha={self.alpha}>"

    def reset_from(self, other_model: Any) -> None:
        """Take the vocabulary of another model, with new weights.

        Args:
            other_model: A `Word2Vec`.
        """
        wv, other = self.wv, other_model.wv
        wv.index_to_key, wv.key_to_index = list(other.index_to_key), dict(other.key_to_index)
        wv.expandos = {name: values.copy() for name, values in other.expandos.items()}
        wv.next_index, wv.vectors = other.next_index, wv.vectors[:0]
        self.corpus_count, self.corpus_total_words = other_model.corpus_count, other_model.corpus_total_words
        if self.hs:
            self.create_binary_tree()
        self.init_weights()

    def predict_output_word(
        self, context_words_list: list[Any], topn: int | None = 10
    ) -> list[tuple[Any, np.float32]] | None:
        """Return the most probable words between others, by the weights of negative sampling.

        Args:
            context_words_list: Words, or their indices; unknown words are left out.
            topn: Number of answers.

        Returns:
            (word, probability), the most probable first; None if all words are unknown.

        Raises:
            NotReadyError: The model has not learned by negative sampling.
        """
        if not self.negative or not hasattr(self, "syn1neg"):
            raise NotReadyError("predict_output_word needs a model that has learned with negative of at least 1")
        known = [self.wv.get_index(word) for word in context_words_list if self.wv.has_index_for(word)]
        if not known:
            return None
        hidden = self.wv.vectors[known].sum(axis=0)
        products = (self.syn1neg @ (hidden / len(known) if self.cbow_mean else hidden)).astype(np.float64)
        powers = np.exp(products - products.max())
        probabilities = (powers / powers.sum()).astype(np.float32)
        best = np.argsort(-probabilities, kind="stable")[:topn]
        return [(self.wv.index_to_key[index], probabilities[index]) for index in best.tolist()]

    def score(
        self,
        sentences: Iterable[Any],
        total_sentences: int = 1_000_000,
        chunksize: int = 100,
        queue_factor: int = 2,
        report_delay: float = 1,
    ) -> Any:
        """Return the log probability of each sentence by hierarchical softmax, (n,) float32.

        Args:
            sentences: Lists of words; unknown words are left out.
            total_sentences: At most so many are scored.
            chunksize: Not used, like `queue_factor` and `report_delay`.
            queue_factor: Not used.
            report_delay: Not used.

        Raises:
            NotReadyError: The model has not learned with `hs=1`.

        Source: Taddy (2015), "Document Classification by Inversion of Distributed Language Representations".
        """
        if not self.hs or not hasattr(self, "syn1"):
            raise NotReadyError("score needs a model with hierarchical softmax; make the model with hs=1, negative=0")
        options, parts, outputs = self._options(1), word_parts(self.wv.vectors, np.ones(1, np.float32)), self._outputs()
        scores = []
        for _, sentence in zip(range(total_sentences), sentences, strict=False):
            words = encode_sentences([sentence], self.wv.key_to_index).ids[:-1]
            scratch = make_scratch(len(words), self.vector_size, parts, options)
            scratch.sentence[: len(words)] = words
            scores.append(kernels.score(len(words), parts, outputs, rules_of(options), scratch))
        return np.array(scores, np.float32)

    def to_table(self) -> Table:
        """Return the vectors as a `rowspace.Table`, with the output rows of negative sampling; it shares their memory.

        `rowspace.fit` can continue from it, with `init`.
        """
        table = self.wv.to_table()
        if self.negative and len(getattr(self, "syn1neg", ())) == len(table):
            table.outputs = self.syn1neg
        return table

    def init_sims(self, replace: bool = False) -> None:
        """Compute the lengths of the vectors; see `KeyedVectors.init_sims`."""
        self.wv.init_sims(replace=replace)

    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        settings, arrays = self.wv._parts()
        arrays = {f"wv.{name}": values for name, values in arrays.items()}
        arrays |= {name: getattr(self, name) for name in ("syn1", "syn1neg") if hasattr(self, name)}
        return named_parts(self, SAVED) | {"wv": settings}, arrays

    @classmethod
    def _from_parts(cls, settings: dict[str, Any], arrays: Arrays, **options: Any) -> Self:
        model = cls.__new__(cls)
        model.wv = cls._vectors_class._from_parts(settings["wv"], within("wv.", arrays))
        for name in SAVED:
            setattr(model, name, settings[name])
        for name in ("syn1", "syn1neg"):
            if name in arrays:
                setattr(model, name, arrays[name])
        model.raw_vocab, model.hashfxn = Counter(), hash
        if model.hs:
            model.create_binary_tree()
        return model

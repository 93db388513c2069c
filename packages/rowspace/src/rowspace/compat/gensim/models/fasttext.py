"""`FastText`: word vectors made of n-grams, and the models of Facebook's fastText."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rowspace.compat.gensim.errors import NotReadyError
from rowspace.compat.gensim.facebook_format import (
    CBOW,
    NEGATIVE_SAMPLING,
    SKIPGRAM,
    SOFTMAX,
    FacebookModel,
    read_facebook,
    write_facebook,
)
from rowspace.compat.gensim.models.word2vec import LineSentence, Word2Vec
from rowspace.compat.gensim.training.corpus import EncodedText, LearningOptions
from rowspace.compat.gensim.training.general import GeneralLearner, sampler_of
from rowspace.compat.gensim.training.kernels import Parts
from rowspace.compat.gensim.training.negative import NgramRows, WordRows
from rowspace.compat.gensim.training.vocabulary import TrimRule
from rowspace.compat.gensim.vectors.fasttext_vectors import (
    FastTextKeyedVectors,
    compute_ngrams,
    compute_ngrams_bytes,
    ft_hash_bytes,
    ft_ngram_hashes,
)
from rowspace.errors import UsageError
from rowspace.store.model_formats.fasttext_dictionary import FileArguments

__all__ = [
    "FastText",
    "FastTextKeyedVectors",
    "LineSentence",
    "compute_ngrams",
    "compute_ngrams_bytes",
    "ft_hash_bytes",
    "ft_ngram_hashes",
    "load_facebook_model",
    "load_facebook_vectors",
    "save_facebook_model",
]


class FastText(Word2Vec):
    """A model that learns vectors of words and of their n-grams, so that unknown words have vectors too.

    Args, attributes and methods are those of `Word2Vec`, and:

    Args:
        word_ngrams: 1, the only value; n-grams of words are for classifiers.
        min_n: Minimum length of an n-gram in characters.
        max_n: Maximum length of an n-gram in characters; 0 for no n-grams.
        bucket: Number of rows that n-grams share by hash.

    Source: Bojanowski et al. (2017), "Enriching Word Vectors with Subword Information".

    Example:
        >>> model = FastText([["cats", "sat"], ["dogs", "sat"]] * 50, vector_size=8, min_count=1, bucket=100)
        >>> "cat" in model.wv.key_to_index, model.wv["cat"].shape
        (False, (8,))
    """

    wv: FastTextKeyedVectors
    word_ngrams = 1
    _vectors_class = FastTextKeyedVectors

    def __init__(
        self,
        sentences: Any = None,
        corpus_file: Any = None,
        sg: int = 0,
        hs: int = 0,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        max_vocab_size: int | None = None,
        word_ngrams: int = 1,
        sample: float = 1e-3,
        seed: int = 1,
        workers: int = 3,
        min_alpha: float = 0.0001,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        hashfxn: Callable[[str], int] = hash,
        epochs: int = 5,
        null_word: int = 0,
        min_n: int = 3,
        max_n: int = 6,
        sorted_vocab: int = 1,
        bucket: int = 2_000_000,
        trim_rule: TrimRule | None = None,
        batch_words: int = 10_000,
        callbacks: Iterable[Any] = (),
        max_final_vocab: int | None = None,
        shrink_windows: bool = True,
    ) -> None:
        if word_ngrams != 1:
            raise UsageError(f"word_ngrams must be 1, since n-grams of words are for classifiers; got {word_ngrams}")
        self.wv = FastTextKeyedVectors(int(vector_size), min_n, max_n, bucket)
        super().__init__(
            sentences, corpus_file, vector_size, alpha, window, min_count, max_vocab_size, sample, seed, workers,
            min_alpha, sg, hs, negative, ns_exponent, cbow_mean, hashfxn, epochs, null_word, trim_rule, sorted_vocab,
            batch_words, callbacks=callbacks, max_final_vocab=max_final_vocab, shrink_windows=shrink_windows,
        )  # fmt: skip

    @classmethod
    def load_fasttext_format(cls, model_file: Any, encoding: str = "utf8") -> "FastText":
        """Return `load_facebook_model` of the same arguments, by its old name."""
        return load_facebook_model(model_file, encoding)

    def init_weights(self) -> None:
        """Make random rows of words and n-grams, and zeros for the weights that they are scored against."""
        self.wv.vectors_vocab = self.wv.vectors_vocab[:0]
        self.wv.vectors_ngrams = np.zeros_like(self.wv.vectors_ngrams)
        super().init_weights()

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Return an estimate of the memory of the model in bytes, by parts and in "total".

        Args:
            vocab_size: The number of words, by default that of the vocabulary.
            report: Parts to add to the estimate.
        """
        parts = super().estimate_memory(vocab_size, report)
        del parts["total"]
        parts["syn0_vocab"] = parts.pop("vectors")
        if self.wv.bucket:
            parts["syn0_ngrams"] = self.wv.bucket * self.vector_size * 4
            parts["buckets_word"] = 48 + sum(48 + 8 * len(buckets) for buckets in self.wv.buckets_word)
        parts["total"] = sum(parts.values())
        return parts

    def _is_fast(self) -> bool:
        factors = (self.wv.vectors_vocab_lockf, self.wv.vectors_ngrams_lockf)
        return super()._is_fast() and all((each == 1).all() for each in factors)

    def _word_rows(self) -> WordRows:
        self._make_writable()
        vars(self).pop("_parts_learned", None)  # left by an earlier training
        self.syn1neg = np.require(self.syn1neg, np.float32, ["C", "W"])
        wv = self.wv
        ngrams = NgramRows(wv.vectors_ngrams, max(1, wv.min_n), wv.max_n) if wv.bucket else None
        return WordRows(wv.index_to_key, wv.expandos["count"], wv.vectors_vocab, self.syn1neg, ngrams)

    def _make_writable(self) -> None:
        for name in ("vectors_vocab", "vectors_ngrams"):
            setattr(self.wv, name, np.require(getattr(self.wv, name), np.float32, ["C", "W"]))

    def _general_learner(self, options: LearningOptions, text: EncodedText, extra: Any) -> GeneralLearner:
        self._make_writable()
        sampler = sampler_of(self.wv.expandos["count"], options)
        self._parts_learned = _parts_of(self.wv)
        return GeneralLearner(options, text, sampler, self._parts_learned[0], self._outputs())

    def _after_training(self) -> None:
        if hasattr(self, "_parts_learned"):
            parts, used = self._parts_learned
            size = len(self.wv)
            self.wv.vectors_vocab = parts.words[:size].copy()
            self.wv.vectors_ngrams[used] = parts.words[size:]
        self.wv.adjust_vectors()


def _parts_of(wv: FastTextKeyedVectors) -> tuple[Parts, Any]:
    """Return the rows of words and of the n-grams that they have in one array, and the buckets of the latter."""
    size, nothing = len(wv), np.zeros((0, wv.vector_size), np.float32)
    rates = (
        np.broadcast_to(wv.vectors_vocab_lockf, size) if len(wv.vectors_vocab_lockf) == 1 else wv.vectors_vocab_lockf
    )
    ones = np.ones(1, np.float32)
    if not wv.bucket:
        rows = np.arange(size, dtype=np.int32)
        return Parts(wv.vectors_vocab, np.array(rates), np.arange(size + 1), rows, nothing, ones), np.zeros(0, np.int64)
    listed = wv._listed()
    used, places = np.unique(listed.indices, return_inverse=True)
    starts = listed.indptr + np.arange(size + 1)
    rows = np.empty(starts[-1], np.int32)
    is_own = np.zeros(len(rows), bool)
    is_own[starts[:-1]] = True
    rows[is_own], rows[~is_own] = np.arange(size), size + places
    factors = wv.vectors_ngrams_lockf
    ngram_rates = np.full(len(used), factors[0]) if len(factors) == 1 else factors[used]
    words = np.vstack([wv.vectors_vocab, wv.vectors_ngrams[used]])
    return Parts(words, np.concatenate([rates, ngram_rates]).astype(np.float32), starts, rows, nothing, ones), used


def load_facebook_model(path: Any, encoding: str = "utf-8") -> FastText:
    """Open a .bin file of Facebook's fastText as a model that can be trained further.

    Args:
        path: The path.
        encoding: The encoding of the words.

    Raises:
        UnsupportedModelError: It is a classifier or quantized; this is a `NotImplementedError`.
        FileFormatError: It is damaged.
    """
    read = read_facebook(path, encoding=encoding)
    known = read.arguments
    model = FastText(
        sg=int(known.model == SKIPGRAM),
        hs=int(known.loss == SOFTMAX),
        vector_size=known.dim,
        window=known.window,
        min_count=known.min_count,
        sample=known.sample,
        negative=known.negatives,
        epochs=known.epochs,
        min_n=known.min_n,
        max_n=known.max_n,
        bucket=known.buckets,
    )
    model.wv = _vectors_of(read)
    model.corpus_total_words = read.tokens
    outputs = np.array(read.outputs, np.float32)
    if model.hs:
        model.syn1 = outputs
        model.create_binary_tree()
    if model.negative:
        model.syn1neg = outputs.copy() if model.hs else outputs
    return model


def load_facebook_vectors(path: Any, encoding: str = "utf-8") -> FastTextKeyedVectors:
    """Open the vectors of a .bin file of Facebook's fastText, without what training needs.

    Args:
        path: The path.
        encoding: The encoding of the words.

    Raises:
        UnsupportedModelError: It is a classifier or quantized.
        FileFormatError: It is damaged.
    """
    return _vectors_of(read_facebook(path, encoding=encoding, with_outputs=False))


def _vectors_of(read: FacebookModel) -> FastTextKeyedVectors:
    known, size = read.arguments, len(read.words)
    wv = FastTextKeyedVectors(known.dim, known.min_n, known.max_n, known.buckets)
    wv.index_to_key, wv.next_index = list(read.words), size
    wv.key_to_index = {word: index for index, word in reversed(list(enumerate(read.words)))}
    wv.vectors_vocab = np.array(read.inputs[:size], np.float32)
    wv.vectors_ngrams = np.array(read.inputs[size : size + wv.bucket], np.float32)
    wv.allocate_vecattrs({"count": np.dtype(np.int64)})
    wv.expandos["count"][:] = read.counts
    wv.adjust_vectors()
    return wv


def save_facebook_model(
    model: FastText, path: Any, encoding: str = "utf-8", lr_update_rate: int = 100, word_ngrams: int = 1
) -> None:
    """Write a model as a .bin file of Facebook's fastText; an older file is replaced atomically.

    Args:
        model: The model.
        path: The path.
        encoding: The encoding of the words.
        lr_update_rate: Written to the file, and not used.
        word_ngrams: Written to the file, and not used.

    Raises:
        NotReadyError: The model has no weights.
    """
    outputs = getattr(model, "syn1" if model.hs else "syn1neg", None)
    if outputs is None or not len(model.wv):
        raise NotReadyError("the model has no vocabulary to save; call build_vocab and train first")
    wv, counts = model.wv, model.wv.expandos["count"]
    arguments = FileArguments(
        dim=model.vector_size,
        window=model.window,
        epochs=model.epochs,
        min_count=model.min_count,
        negatives=model.negative,
        word_ngrams=word_ngrams,
        loss=SOFTMAX if model.hs else NEGATIVE_SAMPLING,
        model=SKIPGRAM if model.sg else CBOW,
        buckets=wv.bucket,
        min_n=wv.min_n,
        max_n=wv.max_n,
        lr_update_rate=lr_update_rate,
        sample=model.sample,
    )
    inputs = np.vstack([wv.vectors_vocab, wv.vectors_ngrams])
    tokens = model.corpus_total_words or int(counts.sum())
    write_facebook(FacebookModel(arguments, wv.index_to_key, counts, tokens, inputs, outputs), path, encoding=encoding)

"""`Doc2Vec`: paragraph vectors, PV-DBOW and PV-DM, by negative sampling or hierarchical softmax."""

import dataclasses
import zlib
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from rowspace import space
from rowspace.compat.gensim.errors import ArgumentTypeError, NotReadyError
from rowspace.compat.gensim.models.word2vec import Word2Vec
from rowspace.compat.gensim.saving import Arrays, named_parts, within
from rowspace.compat.gensim.training import kernels
from rowspace.compat.gensim.training.corpus import EncodedText, LearningOptions, encode_sentences
from rowspace.compat.gensim.training.documents import (
    TagCounts,
    TaggedBrownCorpus,
    TaggedDocument,
    TaggedLineDocument,
    add_tags,
    collected_tags,
    documents_of,
    encode_documents,
)
from rowspace.compat.gensim.training.general import GeneralLearner, make_scratch, rules_of, sampler_of, word_parts
from rowspace.compat.gensim.training.vocabulary import TrimRule, count_words
from rowspace.compat.gensim.vectors.keyed_vectors import KeyedVectors, pseudorandom_weak_vector
from rowspace.compat.gensim.vectors.storage import Rows
from rowspace.errors import UsageError

__all__ = ["Doc2Vec", "TaggedBrownCorpus", "TaggedDocument", "TaggedLineDocument"]

SAVED = ("dm_concat", "dm_tag_count", "dbow_words")
BYTES_PER_TAG = 60


class Doc2Vec(Word2Vec):
    """A model that learns vectors of documents, and vectors of words next to them.

    Args:
        documents: `TaggedDocument` objects, readable several times.
        corpus_file: The path of a file with a document on each line, whose tag is the number of the line.
        vector_size: Length of a vector.
        dm_mean: PV-DM averages the vectors of words and document (1, the default) or sums them (0).
        dm: 1 for PV-DM (a document and the neighbors predict a word), 0 for PV-DBOW (the document alone does).
        dbow_words: 1 also learns words by skip-gram, with PV-DBOW.
        dm_concat: 1 concatenates the vectors, with PV-DM; such a model is much larger.
        dm_tag_count: Number of tags of each document, with `dm_concat`.
        dv: A `KeyedVectors` for the documents, in place of a new one.
        dv_mapfile: Not used.
        comment: Any text.
        trim_rule: As of `Word2Vec`.
        callbacks: `CallbackAny2Vec` objects.
        window: Maximum number of neighbors on each side of a word.
        epochs: Passes over the corpus.
        shrink_windows: Draw each window's size from 1 to `window`.
        **keywords: Other arguments of `Word2Vec`.

    Attributes:
        dv: The vectors of the documents, a `KeyedVectors` with their tags as keys.
        wv: The vectors of the words; PV-DBOW does not learn them without `dbow_words`.

    Source: Le & Mikolov (2014), "Distributed Representations of Sentences and Documents".

    Example:
        >>> documents = [TaggedDocument(["cat", "sat"], [0]), TaggedDocument(["dog", "ran"], ["b"])] * 20
        >>> model = Doc2Vec(documents, vector_size=8, min_count=1, epochs=2)
        >>> model.dv.index_to_key, model.infer_vector(["cat", "ran"]).shape
        ([0, 'b'], (8,))
    """

    def __init__(
        self,
        documents: Any = None,
        corpus_file: Any = None,
        vector_size: int = 100,
        dm_mean: int | None = None,
        dm: int = 1,
        dbow_words: int = 0,
        dm_concat: int = 0,
        dm_tag_count: int = 1,
        dv: KeyedVectors | None = None,
        dv_mapfile: str | None = None,
        comment: str | None = None,
        trim_rule: TrimRule | None = None,
        callbacks: Iterable[Any] = (),
        window: int = 5,
        epochs: int = 10,
        shrink_windows: bool = True,
        **keywords: Any,
    ) -> None:
        self.dbow_words, self.dm_concat, self.dm_tag_count = int(dbow_words), int(dm_concat), int(dm_tag_count)
        self.dv = dv or KeyedVectors(int(vector_size), mapfile_path=dv_mapfile)
        if dm and dm_mean is not None:
            keywords["cbow_mean"] = dm_mean
        keywords.setdefault("null_word", int(dm_concat))
        super().__init__(
            vector_size=vector_size,
            sg=(1 + int(dm)) % 2,
            comment=comment,
            window=window,
            epochs=epochs,
            shrink_windows=shrink_windows,
            **keywords,
        )
        if self.dm and self.dm_concat:
            self.layer1_size = (self.dm_tag_count + 2 * self.window) * self.vector_size
        if documents is not None or corpus_file is not None:
            self._start(documents, corpus_file, trim_rule, callbacks)

    @property
    def dm(self) -> bool:
        """Whether this is PV-DM."""
        return not self.sg

    @property
    def dbow(self) -> bool:
        """Whether this is PV-DBOW."""
        return bool(self.sg)

    @property
    def docvecs(self) -> KeyedVectors:
        """The vectors of the documents, by the name of gensim 3."""
        return self.dv

    def __getitem__(self, tag: Any) -> Rows:
        """Return the vector of a document."""
        return self.dv[tag]

    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        progress_per: int = 100_000,
        workers: int | None = None,
        trim_rule: TrimRule | None = None,
    ) -> tuple[int, int]:
        """Count the words and tags of documents; return the numbers of words and of documents.

        Args:
            corpus_iterable: Documents.
            corpus_file: The path of a file with a document on each line.
            progress_per: Not used.
            workers: Not used.
            trim_rule: As for `build_vocab`.
        """
        self._tags = TagCounts({}, {})
        self.raw_vocab, words, documents = count_words(
            collected_tags(documents_of(corpus_iterable, corpus_file), self._tags),
            max_vocab_size=self.max_vocab_size,
            trim_rule=trim_rule,
            on_string=lambda words: None,
        )
        return words, documents

    def prepare_weights(self, update: bool = False) -> None:
        """Give each tag a row, and make the weights of all words and documents, or with `update` of new ones."""
        if not update:
            self.dv.index_to_key, self.dv.key_to_index, self.dv.expandos = [], {}, {}
            self.dv.vectors = self.dv.vectors[:0]
        add_tags(self.dv, self.__dict__.pop("_tags", TagCounts({}, {})))
        super().prepare_weights(update=update)

    def init_weights(self) -> None:
        """Make random vectors of words and documents, and zeros for the weights that they are scored against."""
        super().init_weights()
        self.dv.resize_vectors(seed=self.seed + 7919)

    def update_weights(self) -> None:
        """Make weights for new words and documents, and keep the others."""
        super().update_weights()
        self.dv.resize_vectors(seed=self.seed + 7919 + len(self.dv))

    def reset_from(self, other_model: Any) -> None:
        """Take the vocabulary and the tags of another model, with new weights.

        Args:
            other_model: A `Doc2Vec`.
        """
        other = other_model.dv
        self.dv.index_to_key, self.dv.key_to_index = list(other.index_to_key), dict(other.key_to_index)
        self.dv.expandos = {name: values.copy() for name, values in other.expandos.items()}
        self.dv.next_index, self.dv.vectors = other.next_index, self.dv.vectors[:0]
        super().reset_from(other_model)

    def _encode(self, corpus_iterable: Any, corpus_file: Any) -> tuple[EncodedText, Any]:
        return encode_documents(documents_of(corpus_iterable, corpus_file), self.wv, self.dv)

    def _options(self, epochs: int) -> LearningOptions:
        mode = kernels.DBOW if self.sg else kernels.DM_CONCAT if self.dm_concat else kernels.DM
        null_word = self.wv.key_to_index.get("\0", 0)
        return dataclasses.replace(
            super()._options(epochs), mode=mode, words_too=bool(self.dbow_words), null_word=null_word
        )

    def _is_fast(self) -> bool:
        return False

    def _general_learner(self, options: LearningOptions, text: EncodedText, extra: Any) -> GeneralLearner:
        for vectors in (self.wv, self.dv):
            vectors.vectors = np.require(vectors.vectors, np.float32, ["C", "W"])
        parts = word_parts(self.wv.vectors, self.wv.vectors_lockf.astype(np.float32))
        parts = parts._replace(documents=self.dv.vectors, document_rates=self.dv.vectors_lockf.astype(np.float32))
        sampler = sampler_of(self.wv.expandos["count"], options)
        return GeneralLearner(options, text, sampler, parts, self._outputs(), extra)

    def _after_training(self) -> None:
        self.dv.norms = None

    def infer_vector(
        self,
        doc_words: Iterable[str],
        alpha: float | None = None,
        min_alpha: float | None = None,
        epochs: int | None = None,
    ) -> Rows:
        """Return the vector of a document that was not learned, (vector_size,) float32; the same for the same words.

        Args:
            doc_words: Its words; unknown words are left out.
            alpha: The learning rate at the start, by default that of the model.
            min_alpha: The learning rate at the end, by default that of the model.
            epochs: Passes over the document, by default as of the model.

        Raises:
            ArgumentTypeError: The document is a string.
            NotReadyError: The model has no vocabulary.
        """
        if isinstance(doc_words, str):
            raise ArgumentTypeError("doc_words must be a list of words, got a string; call split() on it")
        if not len(self.wv) or not self._has_outputs():
            raise NotReadyError("the model has no vocabulary; call build_vocab and train first")
        words = list(doc_words)
        rates = self.alpha if alpha is None else alpha, self.min_alpha if min_alpha is None else min_alpha
        text, options = encode_sentences([words], self.wv.key_to_index), self._options(epochs or self.epochs)
        checksum = zlib.crc32(" ".join(map(str, words)).encode(errors="surrogatepass"))
        vector = pseudorandom_weak_vector(self.vector_size, " ", lambda _: checksum)[np.newaxis].copy()
        parts = word_parts(self.wv.vectors, np.zeros(1, np.float32))
        parts = parts._replace(documents=vector, document_rates=np.ones(1, np.float32))
        scratch = make_scratch(len(text.ids), self.layer1_size, parts, options)
        sampler = self._cached_sampler(options)
        tags, starts = np.zeros(1, np.int64), np.array([0, 1])
        scratch.random[0] = np.random.SeedSequence((options.seed, checksum)).generate_state(1, np.uint64)[
            0
        ] | np.uint64(1)
        alphas = np.linspace(*rates, options.epochs + 1)
        rules, outputs = rules_of(options, learns_outputs=False), self._outputs()
        for epoch in range(options.epochs):
            around = alphas[epoch : epoch + 2]
            kernels.learn(text.ids, tags, starts, 0, around, parts, outputs, sampler, rules, scratch)
        inferred: Rows = vector[0]
        return inferred

    def _cached_sampler(self, options: LearningOptions) -> Any:
        """Return the sampler, which is made once for many documents."""
        key = (len(self.wv), int(self.wv.expandos["count"].sum()), options.sample, options.ns_exponent)
        if self.__dict__.get("_sampler", (None,))[0] != key:
            self._sampler = key, sampler_of(self.wv.expandos["count"], options)
        return self._sampler[1]

    def similarity_unseen_docs(
        self,
        doc_words1: Iterable[str],
        doc_words2: Iterable[str],
        alpha: float | None = None,
        min_alpha: float | None = None,
        epochs: int | None = None,
    ) -> np.float32:
        """Return the cosine of the inferred vectors of two documents; see `infer_vector`."""
        first = self.infer_vector(doc_words1, alpha, min_alpha, epochs)
        second = self.infer_vector(doc_words2, alpha, min_alpha, epochs)
        return np.float32(space.cosine(first, second))

    def save_word2vec_format(
        self,
        fname: Any,
        doctag_vec: bool = False,
        word_vec: bool = True,
        prefix: str = "*dt_",
        fvocab: Any = None,
        binary: bool = False,
    ) -> None:
        """Write the vectors as word2vec.c does; an older file is replaced.

        Args:
            fname: The path.
            doctag_vec: Write the vectors of documents.
            word_vec: Write the vectors of words, before those of documents.
            prefix: What to write before each tag.
            fvocab: A path for "word count" lines.
            binary: Whether the numbers are binary.

        Raises:
            UsageError: There is nothing to write, or a tag has a blank.
        """
        if not (word_vec or doctag_vec):
            raise UsageError("doctag_vec or word_vec must be true, or there is nothing to write")
        if word_vec:
            total = len(self.wv) + (len(self.dv) if doctag_vec else 0)
            self.wv.save_word2vec_format(fname, fvocab, binary, total)
        if doctag_vec:
            self.dv.save_word2vec_format(
                fname, binary=binary, prefix=prefix, append=word_vec, write_header=not word_vec, sort_attr="doc_count"
            )

    def estimated_lookup_memory(self) -> int:
        """Return an estimate of the memory of tags that are text, in bytes."""
        return BYTES_PER_TAG * len(self.dv) + 140 * len(self.dv.key_to_index)

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Return an estimate of the memory of the model in bytes, by parts and in "total".

        Args:
            vocab_size: The number of words, by default that of the vocabulary.
            report: Parts to add to the estimate.
        """
        documents = {
            "doctag_lookup": self.estimated_lookup_memory(),
            "doctag_syn0": len(self.dv) * self.vector_size * 4,
        }
        return super().estimate_memory(vocab_size, documents | (report or {}))

    def __str__(self) -> str:
        mode = "dbow" if self.sg else "dm/c" if self.dm_concat else "dm/m" if self.cbow_mean else "dm/s"
        parts = {
            f"{mode}+w" if self.sg and self.dbow_words else mode: True,
            f"d{self.vector_size}": True,
            f"n{self.negative}": self.negative,
            "hs": self.hs,
            f"w{self.window}": not self.sg or self.dbow_words,
            f"mc{self.min_count}": self.min_count > 1,
            f"s{self.sample:g}": self.sample > 0,
            f"t{self.workers}": self.workers > 1,
        }
        return f"{type(self).__name__}<{','.join(part for part, is_shown in parts.items() if is_shown)}>"

    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        settings, arrays = super()._parts()
        documents, rows = self.dv._parts()
        arrays |= {f"dv.{name}": values for name, values in rows.items()}
        return settings | {"dv": documents} | named_parts(self, SAVED), arrays

    @classmethod
    def _from_parts(cls, settings: dict[str, Any], arrays: Arrays, **options: Any) -> Self:
        model = super()._from_parts(settings, arrays)
        model.dv = KeyedVectors._from_parts(settings["dv"], within("dv.", arrays))
        for name in SAVED:
            setattr(model, name, settings[name])
        return model

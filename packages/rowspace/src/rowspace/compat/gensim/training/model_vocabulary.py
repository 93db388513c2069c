"""The vocabulary of a model: counted from a corpus or given as counts, and extended by a later corpus."""

import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.compat.gensim.errors import NotReadyError
from rowspace.compat.gensim.training.corpus import check_corpus, sentences_of
from rowspace.compat.gensim.training.vocabulary import (
    HuffmanTree,
    Selection,
    TrimRule,
    count_words,
    final_min_count,
    huffman_tree,
    select_words,
)
from rowspace.compat.gensim.vectors.keyed_vectors import KeyedVectors
from rowspace.learn.word2vec.sampling import keep_probabilities

__all__ = ["ModelVocabulary"]

logger = logging.getLogger(__name__)
BYTES_PER_WORD, BYTES_PER_WORD_AND_PATH = 500, 700  # gensim's estimate of the memory of dicts
STRING_WARNING = (
    "Each 'sentences' item should be a list of words (usually unicode strings). "
    "The first item is a string, %r, whose characters become words."
)


class ModelVocabulary:
    """The words of a model and their weights before training; the base of `Word2Vec`."""

    wv: KeyedVectors
    vector_size: int
    layer1_size: int
    min_count: int
    max_vocab_size: int | None
    max_final_vocab: int | None
    sample: float
    sorted_vocab: int
    null_word: int
    hs: int
    negative: int
    ns_exponent: float
    seed: int
    raw_vocab: Counter[Any]
    effective_min_count: int
    corpus_count: int
    corpus_total_words: int
    syn1: NDArray[np.float32]
    syn1neg: NDArray[np.float32]
    paths: HuffmanTree | None = None

    def build_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        update: bool = False,
        progress_per: int = 10_000,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        **keywords: Any,
    ) -> None:
        """Count the words of a corpus and make weights for them.

        Args:
            corpus_iterable: Lists of words.
            corpus_file: The path of a file with a sentence on each line.
            update: Add the words to the vocabulary, and their counts to its counts; weights are kept.
            progress_per: Not used.
            keep_raw_vocab: Keep `raw_vocab`, the counts of all words.
            trim_rule: Function of (word, count, min_count) that returns RULE_KEEP, RULE_DISCARD or RULE_DEFAULT.
            **keywords: `min_count` and `sample`, in place of those of the model.

        Raises:
            ArgumentTypeError: There is no corpus, or it is not lists of words.
            NotReadyError: `update` without an earlier vocabulary.
        """
        check_corpus(corpus_iterable, corpus_file)
        self.corpus_total_words, self.corpus_count = self.scan_vocab(corpus_iterable, corpus_file, trim_rule=trim_rule)
        self._use_counts(update, keep_raw_vocab, trim_rule, **keywords)

    def build_vocab_from_freq(
        self,
        word_freq: Mapping[Any, int],
        keep_raw_vocab: bool = False,
        corpus_count: int | None = None,
        trim_rule: TrimRule | None = None,
        update: bool = False,
    ) -> None:
        """Make a vocabulary from counts of words.

        Args:
            word_freq: The count of each word.
            keep_raw_vocab: As for `build_vocab`.
            corpus_count: The number of sentences, for `train`.
            trim_rule: As for `build_vocab`.
            update: As for `build_vocab`.
        """
        self.raw_vocab = Counter(dict(word_freq))
        self.corpus_count, self.corpus_total_words = corpus_count or 0, sum(self.raw_vocab.values())
        self._use_counts(update, keep_raw_vocab, trim_rule)

    def _use_counts(self, update: bool, keep_raw: bool, trim_rule: TrimRule | None, **keywords: Any) -> None:
        if update and not len(self.wv):
            raise NotReadyError("update adds words to a vocabulary, but there is none yet; call build_vocab without it")
        self.prepare_vocab(update=update, keep_raw_vocab=keep_raw, trim_rule=trim_rule, **keywords)
        self.prepare_weights(update=update)

    def scan_vocab(
        self,
        corpus_iterable: Any = None,
        corpus_file: Any = None,
        progress_per: int = 10_000,
        workers: int | None = None,
        trim_rule: TrimRule | None = None,
    ) -> tuple[int, int]:
        """Count the words of a corpus in `raw_vocab`; return the numbers of words and of sentences.

        Args:
            corpus_iterable: Lists of words.
            corpus_file: The path of a file with a sentence on each line.
            progress_per: Not used.
            workers: Not used.
            trim_rule: As for `build_vocab`, used where there are more than `max_vocab_size` words.
        """
        self.raw_vocab, words, sentences = count_words(
            sentences_of(corpus_iterable, corpus_file),
            max_vocab_size=self.max_vocab_size,
            trim_rule=trim_rule,
            on_string=lambda sentence: logger.warning(STRING_WARNING, sentence[:40]),
        )
        return words, sentences

    def prepare_vocab(
        self,
        update: bool = False,
        keep_raw_vocab: bool = False,
        trim_rule: TrimRule | None = None,
        min_count: int | None = None,
        sample: float | None = None,
        dry_run: bool = False,
    ) -> dict[str, Any]:
        """Choose the words of `raw_vocab` that stay.

        Args:
            update: Add them to the vocabulary.
            keep_raw_vocab: Keep `raw_vocab`.
            trim_rule: As for `build_vocab`.
            min_count: Least count, by default that of the model.
            sample: Threshold of downsampling, by default that of the model.
            dry_run: Only report.

        Returns:
            What is dropped and kept, by gensim's names.
        """
        least = self.min_count if min_count is None else min_count
        self.effective_min_count = max(final_min_count(self.raw_vocab, self.max_final_vocab), least)
        selection = select_words(self.raw_vocab, self.effective_min_count, trim_rule)
        if not dry_run:
            self.min_count, self.sample = least, self.sample if sample is None else sample
            self._set_words(selection, update=update)
            if not keep_raw_vocab:
                self.raw_vocab = Counter()
        return self._report(selection, self.sample if sample is None else sample)

    def _set_words(self, selection: Selection, *, update: bool) -> None:
        wv = self.wv
        if not update:
            wv.index_to_key, wv.key_to_index, wv.expandos, wv.next_index = [], {}, {}, 0
            wv.vectors, wv.norms = wv.vectors[:0], None
        for word in selection.kept:
            if word not in wv.key_to_index:
                wv.key_to_index[word] = len(wv.index_to_key)
                wv.index_to_key.append(word)
        wv.next_index = len(wv.index_to_key)
        wv.allocate_vecattrs({"count": np.dtype(np.int64)})
        places = [wv.key_to_index[word] for word in selection.kept]
        wv.expandos["count"][places] += np.fromiter(selection.kept.values(), np.int64, len(places))
        if self.sorted_vocab and not update:
            wv.sort_by_descending_frequency()
        if self.null_word and "\0" not in wv.key_to_index:
            self.add_null_word()
        if self.hs:
            self.create_binary_tree()

    def _report(self, selection: Selection, sample: float) -> dict[str, Any]:
        counts = np.fromiter(selection.kept.values(), np.int64, len(selection.kept))
        rate = sample if sample < 1 else sample / max(1, selection.total)
        keep = keep_probabilities(np.maximum(counts, 1), sample=rate) if len(counts) else np.zeros(0)
        return {
            "drop_unique": selection.dropped,
            "retain_total": selection.total,
            "num_retained_words": len(counts),
            "downsample_unique": int((keep < 1).sum()),
            "downsample_total": int(keep @ counts),
        }

    def add_null_word(self) -> None:
        """Add a word that is a NUL, which stands for places outside of a sentence, with a count of 1."""
        self.wv.key_to_index["\0"] = len(self.wv.index_to_key)
        self.wv.index_to_key.append("\0")
        self.wv.next_index = len(self.wv.index_to_key)
        self.wv.set_vecattr("\0", "count", 1)

    def create_binary_tree(self) -> None:
        """Make the Huffman tree of hierarchical softmax; its paths are the attributes "code" and "point" of words."""
        if not len(self.wv):
            return
        tree = self.paths = huffman_tree(self.wv.expandos["count"])
        for name, values in (("code", tree.codes), ("point", tree.points)):
            paths = np.empty(len(self.wv), object)
            paths[:] = np.split(values, tree.starts[1:-1]) if len(self.wv) > 1 else [values]
            self.wv.expandos[name] = paths

    @property
    def cum_table(self) -> NDArray[np.uint32]:
        """The cumulative distribution that negatives are drawn from, (V,) uint32, up to 2³¹ - 1."""
        weights = np.maximum(self.wv.expandos["count"], 1).astype(np.float64) ** self.ns_exponent
        table: NDArray[np.uint32] = np.round(np.cumsum(weights) / weights.sum() * (2**31 - 1)).astype(np.uint32)
        return table

    def make_cum_table(self, domain: int = 2**31 - 1) -> None:
        """Do nothing: `cum_table` is computed from the counts whenever it is read."""

    def prepare_weights(self, update: bool = False) -> None:
        """Make the weights of all words, or with `update` those of new words."""
        if update:
            self.update_weights()
        else:
            self.init_weights()

    def init_weights(self) -> None:
        """Make random vectors, and zeros for the weights that they are scored against."""
        self.wv.resize_vectors(seed=self.seed)
        self._resize_outputs(keep=False)

    def update_weights(self) -> None:
        """Make weights for new words as `init_weights`, and keep the others."""
        if not len(self.wv.vectors):
            raise NotReadyError("the model has no vectors to keep; call build_vocab without update")
        self.wv.resize_vectors(seed=self.seed + len(self.wv))
        self._resize_outputs(keep=True)

    def _resize_outputs(self, *, keep: bool) -> None:
        """Make as many rows of `syn1` and `syn1neg` as there are words."""
        for name, is_used in (("syn1", self.hs), ("syn1neg", self.negative)):
            if is_used:
                rows = np.zeros((len(self.wv), self.layer1_size), np.float32)
                before = getattr(self, name, rows[:0]) if keep else rows[:0]
                rows[: len(before)] = before
                setattr(self, name, rows)

    def estimate_memory(self, vocab_size: int | None = None, report: dict[str, int] | None = None) -> dict[str, int]:
        """Return an estimate of the memory of the model in bytes, by parts and in "total".

        Args:
            vocab_size: The number of words, by default that of the vocabulary.
            report: Parts to add to the estimate.
        """
        size, parts = vocab_size or len(self.wv), dict(report or {})
        parts["vocab"] = size * (BYTES_PER_WORD_AND_PATH if self.hs else BYTES_PER_WORD)
        parts["vectors"] = size * self.vector_size * 4
        if self.hs:
            parts["syn1"] = size * self.layer1_size * 4
        if self.negative:
            parts["syn1neg"] = size * self.layer1_size * 4
        parts["total"] = sum(parts.values())
        return parts

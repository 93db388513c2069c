"""`BertScanner`: the scanner of a BERT tokenizer."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.cache import CachePool
from rowspace.encode.scanners.scanner import Scanner, is_worth_loading
from rowspace.encode.scanners.wordpiece.characters import BertNormalization, character_numbers
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["BertScanner", "WordPiece"]


class WordPiece(NamedTuple):
    """A WordPiece model, as a tokenizer.json describes it."""

    vocab: dict[str, int]
    unk_token: str
    continuing_subword_prefix: str
    max_input_chars_per_word: int


class BertScanner(Scanner):
    """Texts → ids of WordPiece after BERT's normalizer and splitter.

    A text is left to the library if it may have an added token, a word of several thousand bytes, characters that
    Unicode's normalization may put in another order, or a word without ids because there is no unknown token.

    Args:
        model: The WordPiece model.
        options: The options of the normalizer.
        added: The records of added tokens.
    """

    name = "bert"

    def __init__(self, model: WordPiece, options: BertNormalization, added: NDArray[np.uint8]) -> None:
        self.model = model
        self.options = options
        self.added = added
        self.caches = CachePool()

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves; all, until kernels are worth loading."""
        if "_tables" not in self.__dict__ and not is_worth_loading(buffer):
            return FlatIds.of([[]] * (last - first)), np.arange(last - first)
        kernel, tables = self._tables
        data, indptr = buffer
        ids = np.empty(indptr[last] - indptr[first], np.int32)
        ends, left = np.empty(last - first + 1, np.int64), np.empty(last - first, np.int64)
        cache = self.caches.take()
        leaving = kernel(data, indptr, first, last, *tables, *cache, ids, ends, left)
        self.caches.give_back(cache)
        return FlatIds(ids[: ends[-1]].copy(), ends), left[:leaving]

    @cached_property
    def _tables(self) -> tuple[Callable[..., int], tuple[NDArray[Any], ...]]:
        from rowspace.encode.scanners.wordpiece.kernels import scan
        from rowspace.encode.scanners.wordpiece.trie import build_trie, node_of

        trie = build_trie(self.model.vocab)
        unknown = self.model.vocab.get(self.model.unk_token, -1)
        node = node_of(trie, self.model.continuing_subword_prefix)
        rule = np.array([unknown, node, self.model.max_input_chars_per_word], np.int64)
        return scan, (character_numbers(self.options), trie, rule, self.added)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_tables"}

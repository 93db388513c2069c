"""`BertScanner`: the scanner of a BERT tokenizer."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.added import AddedTokens
from rowspace.encode.scanners.cache import CachePool
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.scanners.wordpiece.characters import BertNormalization, character_numbers
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["BertScanner", "WordPiece"]

COPIED = 4096  # more ids than these are copied, so that the array does not keep the room for an id of each byte
_NONE = np.empty(0, np.int64)


class WordPiece(NamedTuple):
    """A WordPiece model, as a tokenizer.json describes it."""

    vocab: dict[str, int]
    unk_token: str
    continuing_subword_prefix: str
    max_input_chars_per_word: int


class BertScanner(Scanner):
    """Texts → ids of WordPiece after BERT's normalizer and splitter.

    A text is left to the library if it may have an added token that depends on its neighbors, a word of several
    thousand bytes, characters that Unicode's normalization may reorder, or a word without ids because there is no
    unknown token.

    Args:
        model: The WordPiece model.
        options: The options of the normalizer.
        added: The added tokens.
        suspects: The records of words of added tokens.
    """

    name = "bert"

    def __init__(
        self, model: WordPiece, options: BertNormalization, added: AddedTokens, suspects: NDArray[np.uint8]
    ) -> None:
        self.model = model
        self.options = options
        self.added = added
        self.suspects = suspects
        self.caches = CachePool()
        self._loaded: tuple[Callable[..., int], tuple[Any, Any]] | None = None

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        if self._loaded is None:
            self._loaded = self._load()
        kernel, tables = self._loaded
        data, indptr = buffer
        ids = np.empty(indptr.item(last) - indptr.item(first), np.int32)
        ends = np.empty(last - first + 1, np.int64)
        cache = self.caches.take()
        leaving = kernel(data, indptr, first, last, *tables, tuple(cache), ids, ends)
        self.caches.give_back(cache)
        left = _NONE
        if leaving:
            left = np.flatnonzero(ends < 0) - 1
            ends[left + 1] = -1 - ends[left + 1]
        ids = ids[: ends.item(last - first)]
        return FlatIds(ids.copy() if ids.size > COPIED else ids, ends), left

    def _load(self) -> tuple[Callable[..., int], tuple[Any, Any]]:
        from rowspace.encode.scanners.trie import build_trie, node_of
        from rowspace.encode.scanners.wordpiece.kernels import scan

        trie = build_trie(self.model.vocab)
        unknown = self.model.vocab.get(self.model.unk_token, -1)
        node = node_of(trie, self.model.continuing_subword_prefix)
        rule = np.array([unknown, node, self.model.max_input_chars_per_word], np.int64)
        model = character_numbers(self.options), trie, rule, self.suspects
        return scan, (model, self.added.packed())

    def __getstate__(self) -> dict[str, object]:
        return self.__dict__ | {"_loaded": None}

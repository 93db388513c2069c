"""`BertScanner`: the scanner of a BERT tokenizer, and which tokenizer.json is one."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.cache import Pool, WordCache
from rowspace.encode.scanners.scanner import Scanner, adds_nothing
from rowspace.encode.scanners.wordpiece.characters import BertNormalization, character_numbers
from rowspace.encode.scanners.wordpiece.suspects import word_records
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["BertScanner", "WordPiece", "recognize_bert"]

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
        self.caches = Pool(WordCache.empty)

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        kernel, tables = self._tables
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

    @cached_property
    def _tables(self) -> tuple[Callable[..., int], tuple[Any, Any]]:
        from rowspace.encode.scanners.trie import build_trie, node_of
        from rowspace.encode.scanners.wordpiece.kernels import scan

        trie = build_trie(self.model.vocab)
        unknown = self.model.vocab.get(self.model.unk_token, -1)
        node = node_of(trie, self.model.continuing_subword_prefix)
        rule = np.array([unknown, node, self.model.max_input_chars_per_word], np.int64)
        model = character_numbers(self.options), trie, rule, self.suspects
        return scan, (model, self.added.packed())


MAX_ID = 2**31 - 2
MAX_VOCABULARY = 2**22  # in bytes of UTF-8, and so in nodes of the trie


def recognize_bert(document: Mapping[str, Any]) -> BertScanner | None:
    """Return the scanner for a tokenizer.json: BERT's normalizer with any options, its splitter, and WordPiece.

    Args:
        document: The content of the file, as the library writes it.

    Returns:
        The scanner, or None for any other tokenizer.
    """
    normalizer, splitter = _only(document.get("normalizer")), _only(document.get("pre_tokenizer"))
    model = document["model"]
    if normalizer.get("type") != "BertNormalizer" or splitter != {"type": "BertPreTokenizer"}:
        return None
    if model["type"] != "WordPiece" or document.get("truncation") or document.get("padding"):
        return None
    if not adds_nothing(document["post_processor"]):
        return None
    vocabulary: dict[str, int] = model["vocab"]
    if max(vocabulary.values(), default=0) > MAX_ID or sum(map(len, vocabulary)) > MAX_VOCABULARY // 4:
        return None
    options = _options(normalizer)
    tokens = document["added_tokens"]
    added, suspects = added_tokens(tokens), word_records(tokens, lambda text: _split(text, options))
    if added is None or suspects is None:
        return None
    piece = WordPiece(
        vocabulary, model["unk_token"], model["continuing_subword_prefix"], model["max_input_chars_per_word"]
    )
    return BertScanner(piece, options, added, suspects)


def _only(step: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return a step of a tokenizer, or the single one of a sequence."""
    if step is not None and step["type"] == "Sequence":
        steps = step.get("normalizers", step.get("pretokenizers", ()))
        return steps[0] if len(steps) == 1 else {}
    return step or {}


def _options(normalizer: Mapping[str, Any]) -> BertNormalization:
    strip = normalizer["strip_accents"]
    return BertNormalization(
        clean_text=normalizer["clean_text"],
        handle_chinese_chars=normalizer["handle_chinese_chars"],
        strip_accents=normalizer["lowercase"] if strip is None else strip,
        lowercase=normalizer["lowercase"],
    )


def _split(text: str, options: BertNormalization) -> list[str]:
    """Return the words of a text, by the library."""
    normalized = BertNormalizer(**options._asdict()).normalize_str(text)
    return [word for word, _ in BertPreTokenizer().pre_tokenize_str(normalized)]

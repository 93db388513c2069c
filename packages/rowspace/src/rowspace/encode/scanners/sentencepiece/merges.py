"""A tokenizer.json → the scanner of SentencePiece-like BPE with byte fallback, if its ids can be reproduced exactly."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.bpe.kernels.texts import empty_known
from rowspace.encode.scanners.bpe.model import is_plain_bpe, merge_ids
from rowspace.encode.scanners.cache import Pool
from rowspace.encode.scanners.scanner import Scanner, adds_nothing
from rowspace.encode.scanners.sentencepiece.blanks import MARK, BlankRule, recognize_blanks
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["MergesScanner", "recognize_sentencepiece_bpe"]

CODE_POINTS = 0x110000
NEVER_IN_UTF8 = {0xC0, 0xC1, *range(0xF5, 0x100)}
LETTERS = [*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"]


class ModelArrays(NamedTuple):
    """A BPE model with byte fallback.

    Attributes:
        characters: int32 (1114112,), the id of each character or -1; U+0020 has that of `▁`.
        byte_ids: int32 (256,), the id of each byte, or -1.
        merges: int64 (n, 3), those of `merge_ids`.
        joins: int64 (m,), first << 32 | second for the characters between which a merge joins its two parts.
    """

    characters: NDArray[np.int32]
    byte_ids: NDArray[np.int32]
    merges: NDArray[np.int64]
    joins: NDArray[np.int64]


def recognize_sentencepiece_bpe(document: Mapping[str, Any]) -> "MergesScanner | None":
    """Return the scanner of a BPE like those of Llama 2, Mistral and Gemma, or None.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    model = document["model"]
    if model["type"] != "BPE" or not adds_nothing(document["post_processor"]):
        return None
    rule = recognize_blanks(document["normalizer"], document["pre_tokenizer"])
    if rule is None or not is_plain_bpe(model) or not model["byte_fallback"] or model["ignore_merges"]:
        return None
    arrays = _arrays(model, separate=rule.separate)
    added = added_tokens(document["added_tokens"], _parts)
    if arrays is None or added is None:
        return None
    return MergesScanner(rule, arrays, added)


class MergesScanner(Scanner):
    """The ids of SentencePiece-like BPE: a text is cut where no merge joins, and each unit is merged from characters.

    Args:
        rule: Where blanks are put.
        model: The vocabulary and merges.
        added: The added tokens; a text with one that depends on its neighbors is left to the library.
    """

    name = "sentencepiece-bpe"

    def __init__(self, rule: BlankRule, model: ModelArrays, added: AddedTokens) -> None:
        self.rule, self.model, self.added = rule, model, added
        self.known = Pool(empty_known)

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        from rowspace.encode.scanners.bpe.kernels.texts import Output, Texts
        from rowspace.encode.scanners.sentencepiece.kernels.merges import scan

        added, model, scratch = self._tables
        texts = Texts.of(buffer, first, last)
        room = 2 * texts.data.size + last - first
        output = Output.empty(texts, ids=room, scratch=scratch * (texts.longest + 1))
        known = self.known.take()
        scan(texts, self.rule.prefix, added, model, known, output)
        self.known.give_back(known)
        return output.result

    @cached_property
    def _tables(self) -> tuple[Any, Any, int]:
        """The arrays of added tokens and of the model, and the scratch for each byte of a text."""
        from rowspace.encode.scanners.bpe.kernels.heap import HEAP_SPACE
        from rowspace.encode.scanners.bpe.model import pairs_of, slots_for
        from rowspace.encode.scanners.sentencepiece.kernels.merges import Model
        from rowspace.encode.scanners.sentencepiece.kernels.units import Joins, enter_joins

        joins = Joins(np.zeros((128, 128), np.bool_), np.zeros(slots_for(self.model.joins.size), np.int64))
        joins.ascii[np.ix_(LETTERS, LETTERS)] = True
        joins = Joins(joins.ascii.ravel(), joins.others)
        enter_joins(self.model.joins, joins)
        model = Model(self.model.characters, self.model.byte_ids, pairs_of(self.model.merges), joins)
        return self.added.packed(), model, HEAP_SPACE


def _arrays(model: Mapping[str, Any], *, separate: bool) -> ModelArrays | None:
    """Return the arrays of a model, or None if a character may be unknown or a merge may join bytes."""
    vocabulary: Mapping[str, int] = model["vocab"]
    characters = np.full(CODE_POINTS, -1, np.int32)
    for token, number in vocabulary.items():
        if len(token) == 1:
            characters[ord(token)] = number
    characters[ord(" ")] = vocabulary.get(MARK, -1)
    byte_ids = np.array([vocabulary.get(f"<0x{byte:02X}>", -1) for byte in range(256)], np.int32)
    missing = set(np.flatnonzero(byte_ids < 0).tolist()) - NEVER_IN_UTF8
    if MARK not in vocabulary or any(byte >= 0x80 or characters[byte] < 0 for byte in missing):
        return None
    merges = merge_ids(model["merges"], vocabulary)
    if np.isin(merges[:, :2], byte_ids[byte_ids >= 0]).any():
        return None
    return ModelArrays(characters, byte_ids, merges, _joins(model["merges"], separate=separate))


def _joins(merges: list[tuple[str, str]], *, separate: bool) -> NDArray[np.int64]:
    """Return the pairs of characters that merges join; with `separate` none before `▁`, U+0020 instead of it."""
    pairs = {(left[-1], right[0]) for left, right in merges if left and right and not (separate and right[0] == MARK)}
    codes = sorted((_code(left) << 32) | _code(right) for left, right in pairs)
    return np.array(codes, np.int64)


def _code(character: str) -> int:
    return ord(" ") if character == MARK else ord(character)


def _parts(content: str) -> list[str]:
    """Return the longest part of an added token that is the same in normalized text: what is between blanks."""
    return [max(re.split(f"[ {MARK}]", content), key=len)]

"""`ByteBpeScanner`: byte-level BPE by kernels, and which tokenizer.json it reproduces exactly."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import normalizers

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.bpe.kernels.texts import empty_known
from rowspace.encode.scanners.bpe.model import pairs_of, slots_for
from rowspace.encode.scanners.byte_bpe.character_classes import changed_by_nfc, character_classes
from rowspace.encode.scanners.byte_bpe.kernels.pieces import Merges, enter_tokens
from rowspace.encode.scanners.byte_bpe.kernels.scan import Rule
from rowspace.encode.scanners.byte_bpe.patterns import CutRule, ModelArrays, recognize_model, recognize_pre_tokenizer
from rowspace.encode.scanners.cache import Pool
from rowspace.encode.scanners.scanner import Scanner, adds_nothing
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["ByteBpeScanner", "merges_of", "recognize_byte_bpe", "rule_of"]


def rule_of(rule: CutRule, *, nfc: bool) -> Rule:
    """Return how the kernels cut a text, and with NFC which characters they leave to the library."""
    unsafe = changed_by_nfc() if nfc else _read_only(np.empty(0, np.bool_))
    return Rule(character_classes(), rule.digits, unsafe)


def merges_of(model: ModelArrays) -> Merges:
    """Return the hash tables of merges and, where whole pieces are looked up first, of tokens."""
    pairs = pairs_of(model.merges)
    arena, starts = _join(model.tokens if model.whole_first else [])
    slots = np.zeros(slots_for(len(starts)) if model.whole_first else 0, np.int64)
    if model.whole_first:
        enter_tokens(slots, starts, arena)
    return Merges(model.byte_ids, pairs, slots, starts, arena)


def _join(tokens: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return byte strings next to each other, and where each begins."""
    starts = np.fromiter(accumulate(map(len, tokens), initial=0), np.int64, len(tokens) + 1)
    return np.frombuffer(bytearray().join(tokens), np.uint8), starts


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


class ByteBpeScanner(Scanner):
    """The ids of byte-level BPE: a text is cut into pieces by a known pattern, and each piece is merged from bytes.

    It leaves to the library texts with an added token that depends on its neighbors, and with NFC those with a
    character that NFC may change.

    Args:
        rule: How text is cut.
        model: The vocabulary and merges.
        added: The added tokens.
        nfc: Whether the library normalizes texts to NFC.
    """

    def __init__(self, rule: CutRule, model: ModelArrays, *, added: AddedTokens, nfc: bool = False) -> None:
        self.name = rule.name
        self.rule, self.model, self.added, self.nfc = rule, model, added, nfc
        self.known = Pool(empty_known)

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        from rowspace.encode.scanners.bpe.kernels.texts import Output, Texts
        from rowspace.encode.scanners.byte_bpe.kernels.scan import scan

        rule, added, merges, scratch = self._tables
        texts = Texts.of(buffer, first, last)
        if self.rule.prefix_space:
            texts = Texts(*_with_blanks(*texts))
        output = Output.empty(texts, ids=texts.data.size, scratch=scratch * texts.longest)
        known = self.known.take()
        scan(texts, rule, added, merges, known, output)
        self.known.give_back(known)
        return output.result

    @cached_property
    def _tables(self) -> tuple[Any, Any, Any, int]:
        """How to cut, the arrays of added tokens and of the model, and the scratch for each byte of a text."""
        from rowspace.encode.scanners.bpe.kernels.heap import HEAP_SPACE

        return rule_of(self.rule, nfc=self.nfc), self.added.packed(), merges_of(self.model), HEAP_SPACE


def _with_blanks(data: NDArray[np.uint8], indptr: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Put a blank before each text that does not begin with one; return the texts and where each begins."""
    starts = indptr[:-1]
    needs_blank = (starts < indptr[1:]) & (data[starts] != ord(" "))
    moved = indptr + np.concatenate([[0], np.cumsum(needs_blank)])
    return np.insert(data, starts[needs_blank], np.uint8(ord(" "))), moved


def recognize_byte_bpe(document: Mapping[str, Any]) -> ByteBpeScanner | None:
    """Return the scanner of a byte-level BPE with the pattern of GPT-2, Llama 3 or Qwen 2, or None.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    if document["model"]["type"] != "BPE" or not adds_nothing(document["post_processor"]):
        return None
    rule = recognize_pre_tokenizer(document["pre_tokenizer"])
    normalizer = document["normalizer"]
    if rule is None or normalizer not in (None, {"type": "NFC"}):
        return None
    model = recognize_model(document["model"])
    if model is None:
        return None
    added = _added(document, rule)
    if added is None:
        return None
    return ByteBpeScanner(rule, model, added=added, nfc=normalizer is not None)


def _added(document: Mapping[str, Any], rule: CutRule) -> AddedTokens | None:
    """Return the added tokens; with a blank before each part of a text, texts with them are left to the library."""
    added = added_tokens(document["added_tokens"], _contents, is_normalized=document["normalizer"] is not None)
    if added is None or not rule.prefix_space:
        return added
    return AddedTokens((), tuple(sorted({*added.left, *(content for content, _ in added.found)})))


def _contents(content: str) -> list[str]:
    """Return what an added token that the library normalizes may look like in a text."""
    return [content, normalizers.NFC().normalize_str(content)]

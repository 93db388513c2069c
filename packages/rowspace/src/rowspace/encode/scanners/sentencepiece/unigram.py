"""A tokenizer.json → the scanner of a Unigram tokenizer like those of T5 and XLM-R, if its ids can be reproduced."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.bpe.pool import KnownPool
from rowspace.encode.scanners.post_processor import adds_nothing
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.scanners.sentencepiece.unigram_arrays import UnigramArrays
from rowspace.encode.scanners.sentencepiece.white_space import WhiteSpaceRule, recognize_white_space
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["UnigramScanner", "recognize_unigram"]

MAX_VOCABULARY = 2**22  # characters of all tokens, so that a damaged file takes little memory
MARK = "\u2581"
KEYS = {"type", "unk_id", "vocab", "byte_fallback"}
IDS_PER_BYTE = 4


def recognize_unigram(document: Mapping[str, Any]) -> "UnigramScanner | None":
    """Return the scanner of a Unigram tokenizer whose words are separate pieces, or None.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    model = document["model"]
    if model["type"] != "Unigram" or not model.keys() <= KEYS or not adds_nothing(document["post_processor"]):
        return None
    rule = recognize_white_space(document["normalizer"], document["pre_tokenizer"])
    pieces: Sequence[tuple[str, float]] = model["vocab"]
    if rule is None or not pieces or sum(len(token) + 1 for token, _ in pieces) > MAX_VOCABULARY:
        return None
    normalizer = Tokenizer.from_str(_only_normalizer(document)).normalizer
    watched: set[str] = set()

    def parts(content: str) -> list[str]:
        """Return the longest part without blanks of a normalized token; no other character may become a part of it."""
        normalized = normalizer.normalize_str(content) if normalizer else content
        part = max(re.split(f"[\\s{MARK}]", normalized), key=len)
        watched.update(part)
        return [part]

    added = added_tokens(document["added_tokens"], parts)
    if added is None:
        return None
    arrays = UnigramArrays(
        vocab={token: number for number, (token, _) in enumerate(pieces)},
        scores=np.array([score for _, score in pieces], np.float64),
        unknown=-1 if model["unk_id"] is None else model["unk_id"],
        byte_fallback=bool(model["byte_fallback"]),
    )
    return UnigramScanner(rule, arrays, added, watched="".join(sorted(watched)))


class UnigramScanner(Scanner):
    """The ids of Unigram: a text is cut at white space, and the best tokens of each word are found.

    A text is left to the library if it has an added token that depends on its neighbors, a character that the
    normalizer may join with others, or a word of several thousand bytes.

    Args:
        rule: What becomes of characters and of white space.
        model: The vocabulary with scores.
        added: The added tokens.
        watched: The characters of added tokens that are looked for in normalized text.
    """

    name = "unigram"

    def __init__(self, rule: WhiteSpaceRule, model: UnigramArrays, added: AddedTokens, *, watched: str = "") -> None:
        self.rule, self.model, self.added, self.watched = rule, model, added, watched
        self.known = KnownPool()

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        from rowspace.encode.scanners.bpe.kernels.texts import Output, Texts
        from rowspace.encode.scanners.sentencepiece.kernels.unigram import MAX_BYTES, scan
        from rowspace.encode.scanners.sentencepiece.tables import lattice

        words, added, model = self._tables
        texts = Texts.of(buffer, first, last)
        output = Output.empty(texts, ids=IDS_PER_BYTE * texts.data.size + MAX_BYTES, scratch=0)
        known = self.known.take()
        scan(texts, words, added, model, known, lattice(), output)
        self.known.give_back(known)
        return output.result

    @cached_property
    def _tables(self) -> tuple[Any, Any, Any]:
        """The arrays of characters, of added tokens and of the model."""
        from rowspace.encode.scanners.sentencepiece.tables import unigram_model, words_of

        model = unigram_model(self.model)
        return words_of(self.rule, model, self.watched), self.added.packed(), model

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tables"}


def _only_normalizer(document: Mapping[str, Any]) -> str:
    """Return a tokenizer.json with the normalizer of another one and an empty model."""
    model = {"type": "WordLevel", "vocab": {}, "unk_token": ""}
    return json.dumps({"version": "1.0", "normalizer": document["normalizer"], "model": model})

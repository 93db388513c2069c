"""A tokenizer.json → the scanner of a Unigram tokenizer like those of T5 and XLM-R, if its ids can be reproduced."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.encode.scanners.added import AddedTokens, added_tokens
from rowspace.encode.scanners.bpe.kernels.texts import empty_known
from rowspace.encode.scanners.cache import Pool
from rowspace.encode.scanners.scanner import Scanner, adds_nothing
from rowspace.encode.scanners.sentencepiece.blanks import MARK, WhiteSpaceRule, recognize_white_space
from rowspace.encode.scanners.sentencepiece.characters import character_numbers
from rowspace.encode.scanners.sentencepiece.kernels.unigram import MAX_BYTES, Words
from rowspace.encode.scanners.sentencepiece.kernels.viterbi import Lattice, UnigramModel, best_tokens
from rowspace.encode.scanners.trie import build_trie
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["UnigramArrays", "UnigramScanner", "lattice", "recognize_unigram", "unigram_model", "words_of"]


class UnigramArrays(NamedTuple):
    """A Unigram model.

    Attributes:
        vocab: The id of each token; of equal ones the last.
        scores: float64 (V,).
        unknown: The id of the unknown token, or -1.
        byte_fallback: Whether unknown characters become bytes.
    """

    vocab: dict[str, int]
    scores: NDArray[np.float64]
    unknown: int
    byte_fallback: bool


PENALTY = 10.0  # of an unknown character, below the lowest score


def unigram_model(model: UnigramArrays) -> UnigramModel:
    """Return the arrays of a model."""
    byte_ids = np.full(256, -1, np.int32)
    if model.byte_fallback:
        byte_ids[:] = [model.vocab.get(f"<0x{byte:02X}>", -1) for byte in range(256)]
    unknown_score = float(model.scores.min()) - PENALTY
    return UnigramModel(build_trie(model.vocab), model.scores, byte_ids, model.unknown, unknown_score)


def words_of(rule: WhiteSpaceRule, model: UnigramModel, watched: str) -> Words:
    """Return how a text becomes pieces; the piece of a blank alone has no ids if there is no unknown token."""
    characters = character_numbers(
        rule.characters,
        splits_white_space=rule.splits,
        collapses=bool(rule.runs),
        strips=rule.strips,
        watched=watched,
    )
    room = lattice()
    room.text[:3] = np.frombuffer(MARK.encode(), np.uint8)
    count = best_tokens(room, 3, model)
    return Words(characters, np.array(rule.alone, np.int64), room.ids[room.ids.size - max(count, 0) :].copy())


def lattice() -> Lattice:
    """Return room for a piece."""
    return Lattice(
        text=np.empty(MAX_BYTES, np.uint8),
        sums=np.empty(MAX_BYTES + 1, np.float64),
        starts=np.empty(MAX_BYTES + 1, np.int32),
        tokens=np.empty(MAX_BYTES + 1, np.int32),
        ids=np.empty(MAX_BYTES, np.int32),
    )


MAX_VOCABULARY = 2**22  # characters of all tokens, so that a damaged file takes little memory
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
        self.known = Pool(empty_known)

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which it leaves to the library."""
        from rowspace.encode.scanners.bpe.kernels.texts import Output, Texts
        from rowspace.encode.scanners.sentencepiece.kernels.unigram import MAX_BYTES, scan

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
        model = unigram_model(self.model)
        return words_of(self.rule, model, self.watched), self.added.packed(), model


def _only_normalizer(document: Mapping[str, Any]) -> str:
    """Return a tokenizer.json with the normalizer of another one and an empty model."""
    model = {"type": "WordLevel", "vocab": {}, "unk_token": ""}
    return json.dumps({"version": "1.0", "normalizer": document["normalizer"], "model": model})

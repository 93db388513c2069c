"""A text that a page was given → the tokens and ids of the opened table, with the code that does the same.

A table's own tokenizer.json cuts the text; where a table has none, whole words are looked up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UnknownTokenError
from rowspace.lab.lab import Lab
from rowspace.lab.server.query import Query
from rowspace.lab.shared.default_words import default_words, is_code
from rowspace.text import HuggingFaceTokenizer, Tokenizer

__all__ = ["Piece", "Sentence", "known_sentence", "read_sentence"]

# Words that come twice, so that their gradients meet on one row.
_CODE = "read the list, write the list"
_TEXTS = ("the cat sat on the mat", "the king and the queen", "in the year of the war")
_LONGEST = 4000  # characters
_MOST = 64  # tokens
_NUMBERS = 1 << 18  # tokens times dimensions


@dataclass(frozen=True)
class Piece:
    """A stretch of the text, the token that it became, its id (None: a word not in the vocabulary), and any row."""

    text: str
    token: str
    id: int | None
    row: bool


@dataclass(frozen=True)
class Sentence:
    """A text and its pieces; `ids` int64 (n,) of those that have a row; the number of tokens `left_out`; the code."""

    text: str
    pieces: list[Piece]
    ids: NDArray[np.int64]
    left_out: int
    code: str

    @property
    def meta(self) -> dict[str, object]:
        """What a page is told of it: the text, its pieces, the tokens that have rows, and how many were left out."""
        tokens = [piece.token for piece in self.pieces if piece.row]
        pieces = [vars(piece) for piece in self.pieces]
        return {"text": self.text, "pieces": pieces, "tokens": tokens, "left_out": self.left_out}


def read_sentence(lab: Lab, query: Query) -> Sentence:
    """`text` → its tokens, 64 at most and fewer in very wide tables."""
    text = query.text("text", lab.cached("default text", lambda: _default(lab)), longest=_LONGEST)
    most = max(1, min(_MOST, _NUMBERS // lab.table.dim))
    pieces = list(_pieces(lab, text))
    kept = pieces[:most]
    ids = np.array([piece.id for piece in kept if piece.row], np.int64)
    return Sentence(text, kept, ids, len(pieces) - len(kept), _code(lab, text, most))


def known_sentence(lab: Lab, query: Query) -> Sentence:
    """The same, of one token at least that has a row; raises `UnknownTokenError` for a text without."""
    sentence = read_sentence(lab, query)
    if not len(sentence.ids):
        known = lab.table.vocabulary[0][:40]
        raise UnknownTokenError(f"no token of this text has a row in the table; type one that has, such as {known!r}")
    return sentence


def _pieces(lab: Lab, text: str) -> Iterator[Piece]:
    tokenizer = _tokenizer(lab)
    if tokenizer is None:
        for match in re.finditer(r"\S+", text):
            word = match[0] if match[0] in lab.table else match[0].lower()
            known = word in lab.table
            yield Piece(match[0], word, lab.table.id(word) if known else None, known)
        return
    located = tokenizer.encode_with_offsets([text])[0]
    for number, token, (begin, end) in zip(located.ids.tolist(), located.tokens, located.offsets.tolist(), strict=True):
        yield Piece(text[begin:end], token, number, number < len(lab.table))


def _tokenizer(lab: Lab) -> HuggingFaceTokenizer | None:
    def make() -> HuggingFaceTokenizer | None:
        return None if lab.table.tokenizer is None else Tokenizer.of_table(lab.table)

    return lab.cached("tokenizer", make)


def _default(lab: Lab) -> str:
    """A sentence whose every word is a token of the table, of its kind of text; else tokens of its own."""
    for text in (_CODE, *_TEXTS) if is_code(lab.table) else (*_TEXTS, _CODE):
        if _is_known(lab, text):
            return text
    words = default_words(lab.table, 2)
    ids, tokenizer = lab.table.ids([*words, words[0]]).tolist(), _tokenizer(lab)
    if tokenizer is None:
        return " ".join(lab.table.vocabulary[number] for number in ids)[:_LONGEST]
    return b" ".join(tokenizer.token_bytes(number) or b"" for number in ids).decode(errors="replace")[:_LONGEST]


def _is_known(lab: Lab, text: str) -> bool:
    """Whether each word of the text is one token that the table has a row of."""
    unknown = getattr(_tokenizer(lab), "unknown_id", None)
    return all(
        len(pieces := [piece for piece in _pieces(lab, word) if piece.text or not piece.row]) == 1
        and pieces[0].row
        and pieces[0].id != unknown
        for word in text.replace(",", "").split()
    )


def _code(lab: Lab, text: str, most: int) -> str:
    if _tokenizer(lab) is None:
        return (
            f"{lab.load_code}\nwords = {text!r}.split()[:{most}]\n"
            "words = [word if word in table else word.lower() for word in words]\n"
            "ids = table.ids([word for word in words if word in table])"
        )
    return (
        f"{lab.load_code}\n\nfrom rowspace.text import Tokenizer\n\n"
        "tokenizer = Tokenizer.of_table(table)\n"
        f"ids = tokenizer.encode({text!r})[:{most}]\n"
        "ids = ids[ids < len(table)]"
    )

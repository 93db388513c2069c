"""Tokenize the text of a request into tokens and ids of the table.

The text is split by the table's tokenizer.json; for a table without one, it is split into words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UnknownTokenError
from rowspace.table import Table
from rowspace.text import HuggingFaceTokenizer, Tokenizer
from rowspace_lab.lab import Lab
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import default_words, is_code, is_learned

__all__ = ["Piece", "Sentence", "SentenceFields", "known_sentence", "read_sentence"]

# Texts with repeated words, whose gradients are summed in one row.
_CODE = "read the list, write the list"
_TEXTS = ("the cat sat on the mat", "the king and the queen", "in the year of the war")
_MAX_TEXT = 4000  # characters
_MAX_TOKENS = 64  # tokens
_NUMBERS = 1 << 18  # tokens times dimensions


class Piece(TypedDict):
    """A span of the text and its token."""

    text: str
    token: str
    id: int | None
    """null for a word outside the vocabulary."""
    row: bool
    """Whether the table has a row for it."""


class SentenceFields(TypedDict):
    """The fields of a reply that describe a text."""

    text: str
    pieces: list[Piece]
    tokens: list[str]
    """The tokens that have a row."""
    left_out: int
    """The number of tokens left out at the end of a long text."""


@dataclass(frozen=True)
class Sentence:
    """The fields of a reply, the `ids` (n,) int64 of the tokens that have a row, and the call that computes the ids."""

    fields: SentenceFields
    ids: NDArray[np.int64]
    call: "partial[NDArray[np.int64]]"


def word_ids(table: Table, *, text: str, limit: int) -> NDArray[np.int64]:
    """Return the ids of the words that are in the vocabulary, unchanged or in lower case."""
    words = [word if word in table else word.lower() for word in text.split()[:limit]]
    return table.ids([word for word in words if word in table])


def token_ids(table: Table, *, text: str, limit: int) -> NDArray[np.int64]:
    """Encode a text with the table's tokenizer, and drop ids without a row."""
    ids = Tokenizer.of_table(table).encode(text)[:limit]
    return ids[ids < len(table)].astype(np.int64)


def read_sentence(lab: Lab, query: Query, *, examples: Sequence[str] = (), limit: int = _MAX_TOKENS) -> Sentence:
    """Tokenize `text`, up to `limit` tokens, and fewer in very wide tables.

    The default text is the first of `examples` whose words are all tokens of the table, else that of the other pages.
    """
    default = lab.cached(("default text", *examples), lambda: _default(lab, examples))
    text = query.text("text", default, max_length=_MAX_TEXT)
    limit = max(1, min(limit, _NUMBERS // lab.table.dim))
    pieces = list(_pieces(lab, text))
    kept = pieces[:limit]
    fields: SentenceFields = {
        "text": text,
        "pieces": kept,
        "tokens": [piece["token"] for piece in kept if piece["row"]],
        "left_out": len(pieces) - len(kept),
    }
    ids = np.array([piece["id"] for piece in kept if piece["row"]], np.int64)
    return Sentence(fields, ids, partial(word_ids if _tokenizer(lab) is None else token_ids, text=text, limit=limit))


def known_sentence(lab: Lab, query: Query, *, examples: Sequence[str] = (), limit: int = _MAX_TOKENS) -> Sentence:
    """Call `read_sentence`, and raise `UnknownTokenError` if no token of the text has a row."""
    sentence = read_sentence(lab, query, examples=examples, limit=limit)
    if not len(sentence.ids):
        known = lab.table.shown(default_words(lab.table, 1)[0])[:40]
        raise UnknownTokenError(f"no token of this text has a row in the table; try another text, such as {known!r}")
    return sentence


def _pieces(lab: Lab, text: str) -> Iterator[Piece]:
    tokenizer = _tokenizer(lab)
    if tokenizer is None:
        for match in re.finditer(r"\S+", text):
            word = match[0] if match[0] in lab.table else match[0].lower()
            known = word in lab.table
            yield {"text": match[0], "token": word, "id": lab.table.id(word) if known else None, "row": known}
        return
    located = tokenizer.encode_with_offsets([text])[0]
    for number, token, (begin, end) in zip(located.ids.tolist(), located.tokens, located.offsets.tolist(), strict=True):
        yield {"text": text[begin:end], "token": token, "id": number, "row": number < len(lab.table)}


def _tokenizer(lab: Lab) -> HuggingFaceTokenizer | None:
    def make() -> HuggingFaceTokenizer | None:
        return None if lab.table.tokenizer is None else Tokenizer.of_table(lab.table)

    return lab.cached("tokenizer", make)


def _default(lab: Lab, examples: Sequence[str]) -> str:
    """Return an example sentence whose words are all single tokens of the table, else some tokens of the table.

    Without a tokenizer, it has no commas, which would be parts of the words.
    """
    tokenizer = _tokenizer(lab)
    for text in (*examples, *((_CODE, *_TEXTS) if is_code(lab.table) else (*_TEXTS, _CODE))):
        if _is_known(lab, text):
            return text.replace(",", "") if tokenizer is None else text
    words = default_words(lab.table, 2)
    ids = lab.table.ids([*words, words[0]]).tolist()
    if tokenizer is None:
        return " ".join(lab.table.vocabulary[number] for number in ids)[:_MAX_TEXT]
    return b" ".join(tokenizer.token_bytes(number) or b"" for number in ids).decode(errors="replace")[:_MAX_TEXT]


def _is_known(lab: Lab, text: str) -> bool:
    """Return whether every word of the text is a single token with a learned row."""
    learned = lab.cached("learned rows", lambda: is_learned(lab.table))
    unknown = getattr(_tokenizer(lab), "unknown_id", None)
    return all(
        len(pieces := [piece for piece in _pieces(lab, word) if piece["text"] or not piece["row"]]) == 1
        and pieces[0]["row"]
        and learned[pieces[0]["id"]]
        and pieces[0]["id"] != unknown
        for word in text.replace(",", "").split()
    )

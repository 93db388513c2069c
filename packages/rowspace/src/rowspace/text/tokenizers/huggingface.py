"""Tokenizers of the `tokenizers` library, as a tokenizer.json holds them.

Special tokens in a text are recognized, as the library does. Truncation and padding, which a file may set, are removed:
they would change what a text is.
"""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import tokenizers

from rowspace.errors import UsageError
from rowspace.files.byte_tokens import shown_bytes, steps
from rowspace.files.tokenizer_json import bytes_from_alphabet
from rowspace.text.characters import clean
from rowspace.text.tokenizers.huggingface_library import translate_errors, validate_merges
from rowspace.text.tokenizers.tokenizer import (
    Encoding,
    Ids,
    Tokenizer,
    as_ids,
    encoding_error,
    unused_token,
    validate_ids,
)

__all__ = ["AnyTokenizer", "HuggingFaceTokenizer", "as_tokenizer", "require_huggingface"]

AnyTokenizer = tokenizers.Tokenizer | Tokenizer
"""A tokenizer of Hugging Face's library, or one of rowspace."""

KINDS = {"BPE": "bpe", "Unigram": "unigram", "WordPiece": "wordpiece", "WordLevel": "words"}
_BYTE = re.compile("<0x([0-9A-F]{2})>")


class HuggingFaceTokenizer(Tokenizer):
    """A tokenizer of the `tokenizers` library, kept in `library`.

    Args:
        library: The library's own tokenizer.
        text: The tokenizer.json that it came from, if it came from one; it becomes `json`.
        source: Its name in messages.

    Raises:
        FileFormatError: its ids go far beyond the number of its tokens.

    >>> from tokenizers.models import WordPiece
    >>> library = tokenizers.Tokenizer(WordPiece({"un": 0, "##do": 1, "?": 2}, unk_token="?"))
    >>> tokenizer = HuggingFaceTokenizer(library)
    >>> tokenizer.encode("undo").tolist(), tokenizer.token(1), tokenizer.token_bytes(1), tokenizer.kind
    ([0, 1], '##do', b'do', 'wordpiece')
    """

    def __init__(
        self, library: tokenizers.Tokenizer, *, text: str | None = None, source: str = "the tokenizer"
    ) -> None:
        self.library = _without_truncation(library)
        self._text = text
        self._ids: dict[str, int] = self.library.get_vocab(with_added_tokens=True)
        self._tokens = {number: token for token, number in self._ids.items()}
        self._size = max(self._tokens, default=-1) + 1
        validate_ids(self._size - 1, len(self._ids), source)
        added = self.library.get_added_tokens_decoder()
        self._added = {number: token.content for number, token in added.items()}
        self.special_ids = frozenset(number for number, token in added.items() if token.special)
        self.unused_ids = frozenset(range(self._size)).difference(self._tokens)
        self.kind = KINDS[type(self.library.model).__name__]

    @classmethod
    def from_json(cls, text: str, source: str = "the tokenizer") -> "HuggingFaceTokenizer":
        """Open a tokenizer.json.

        Args:
            text: The content of the file.
            source: Its name in messages, such as its path.

        Raises:
            FileFormatError: it is not a tokenizer.json that the library opens.
        """
        validate_merges(text, source)
        with translate_errors(source):
            library = tokenizers.Tokenizer.from_str(text)
        return cls(library, text=text, source=source)

    @property
    def json(self) -> str:
        """The text of its tokenizer.json."""
        return self.library.to_str() if self._text is None else self._text

    @cached_property
    def unknown_id(self) -> int | None:  # type: ignore[override]  # an attribute in `Tokenizer`, computed here on first use
        """The id of the unknown token."""
        model = self._document["model"]
        if model["type"] == "Unigram":
            return None if model["unk_id"] is None else int(model["unk_id"])
        return None if model.get("unk_token") is None else self._ids.get(model["unk_token"])

    def __len__(self) -> int:
        return self._size

    def encode_batch(self, texts: Sequence[str]) -> list[Ids]:
        """Return the ids of each text: int32 (n,)."""
        try:
            encodings = self.library.encode_batch_fast(list(map(clean, texts)), add_special_tokens=False)
        except BaseException as error:
            raise encoding_error(error, texts, "give it an unknown token") from error
        return [as_ids(encoding.ids) for encoding in encodings]

    def encode_with_offsets(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the ids, tokens and offsets of each text."""
        try:
            encodings = self.library.encode_batch(list(map(clean, texts)), add_special_tokens=False)
        except BaseException as error:
            raise encoding_error(error, texts, "give it an unknown token") from error
        return [
            Encoding(as_ids(encoding.ids), encoding.tokens, np.array(encoding.offsets, np.int64).reshape(-1, 2))
            for encoding in encodings
        ]

    def token(self, number: int) -> str:
        """Return the token of an id as the tokenizer.json writes it."""
        return self._tokens.get(self._validate_id(number), unused_token(number))

    def shown(self, number: int) -> str:
        """Return the token as it is, or decoded if the tokenizer is byte-level."""
        data = self.token_bytes(number) if self._is_byte_level and number not in self._added else None
        return self.token(number) if data is None else shown_bytes(data)

    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes of text that an id represents, without the mark of a token inside a word; `▁` is a blank."""
        token = self.token(number)
        if number in self.special_ids or number in self.unused_ids or number == self.unknown_id:
            return None
        if number in self._added:
            return self._added[number].encode()
        if self._is_byte_level:
            return bytes_from_alphabet(token) or token.encode()
        if byte := self._has_bytes and _BYTE.fullmatch(token):
            return bytes([int(byte[1], 16)])
        token = token.removeprefix(self._prefix)
        if self._suffix and token.endswith(self._suffix):
            token = token.removesuffix(self._suffix) + " "
        return token.replace(self._blank, " ").encode() if self._blank else token.encode()

    @cached_property
    def _document(self) -> dict[str, Any]:
        """Its tokenizer.json as the library writes it, which may differ from the file's text."""
        document: dict[str, Any] = json.loads(self.library.to_str())
        return document

    @cached_property
    def _is_byte_level(self) -> bool:
        return any(step["type"] == "ByteLevel" for step in steps(self._document, "pre_tokenizer", "decoder"))

    @cached_property
    def _has_bytes(self) -> bool:
        return bool(self._document["model"].get("byte_fallback"))

    @cached_property
    def _prefix(self) -> str:
        return self._document["model"].get("continuing_subword_prefix") or ""

    @cached_property
    def _suffix(self) -> str:
        return self._document["model"].get("end_of_word_suffix") or ""

    @cached_property
    def _blank(self) -> str:
        """The character that replaces a blank in tokens, or an empty string."""
        for step in steps(self._document, "pre_tokenizer", "decoder"):
            if step["type"] == "Metaspace":
                return str(step["replacement"])
            if step["type"] == "Replace" and step["content"] == " ":
                return str(step["pattern"].get("String", ""))
        return ""


def as_tokenizer(tokenizer: AnyTokenizer) -> Tokenizer:
    """Wrap a tokenizer of the `tokenizers` library; return any other unchanged."""
    return tokenizer if isinstance(tokenizer, Tokenizer) else HuggingFaceTokenizer(tokenizer)


def require_huggingface(tokenizer: AnyTokenizer, purpose: str) -> tokenizers.Tokenizer:
    """Return the `tokenizers` library's own tokenizer.

    Args:
        tokenizer: Any tokenizer.
        purpose: What it is needed for, for the message.

    Raises:
        UsageError: it is a tokenizer of another library.

    >>> from tokenizers.models import BPE
    >>> require_huggingface(HuggingFaceTokenizer(tokenizers.Tokenizer(BPE({"a": 0}, []))), "fit").get_vocab_size()
    1
    """
    if isinstance(tokenizer, tokenizers.Tokenizer):
        return tokenizer
    if isinstance(tokenizer, HuggingFaceTokenizer):
        return tokenizer.library
    raise UsageError(
        f"{purpose} needs a tokenizer.json, and this tokenizer has none; make one with transformers: "
        "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER), and name NEW_FOLDER"
    )


def _without_truncation(tokenizer: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return the tokenizer without truncation and padding, itself if it has none."""
    if tokenizer.truncation is None and tokenizer.padding is None:
        return tokenizer
    copy = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy

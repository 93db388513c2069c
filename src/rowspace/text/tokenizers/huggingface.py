"""Tokenizers of the `tokenizers` library, as a tokenizer.json holds them.

Special tokens in a text are recognized, as the library does. Truncation and padding, which a file may bring
along, are taken off: they would change what a text is. Left out: folders without a tokenizer.json
(vocabulary_files.py).
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, RowspaceError, UsageError, reason_of
from rowspace.files.tokenizer_json import bytes_from_alphabet
from rowspace.text.characters import clean
from rowspace.text.tokenizers.tokenizer import (
    Ids,
    Located,
    OpenedTokenizer,
    as_ids,
    check_ids,
    nameless,
    tokenizer_fails,
)

__all__ = ["AnyTokenizer", "LibraryTokenizer", "check_merges", "library_of", "opened", "parsed", "refusing"]

AnyTokenizer = Tokenizer | OpenedTokenizer
KINDS = {"BPE": "bpe", "Unigram": "unigram", "WordPiece": "wordpiece", "WordLevel": "words"}
_BYTE = re.compile("<0x([0-9A-F]{2})>")


class LibraryTokenizer(OpenedTokenizer):
    """A tokenizer of the `tokenizers` library, kept in `library`; `text`: its tokenizer.json, if it came from one.

    >>> from tokenizers.models import WordPiece
    >>> tokenizer = LibraryTokenizer(Tokenizer(WordPiece({"un": 0, "##do": 1, "?": 2}, unk_token="?")))
    >>> tokenizer.encode("undo").tolist(), tokenizer.token(1), tokenizer.token_bytes(1), tokenizer.kind
    ([0, 1], '##do', b'do', 'wordpiece')
    """

    def __init__(self, library: Tokenizer, *, text: str | None = None, source: str = "the tokenizer") -> None:
        self.library = _bare(library)
        self._text = text
        self._ids: dict[str, int] = self.library.get_vocab(with_added_tokens=True)
        self._tokens = {number: token for token, number in self._ids.items()}
        self._size = max(self._tokens, default=-1) + 1
        check_ids(self._size - 1, len(self._ids), source)
        added = self.library.get_added_tokens_decoder()
        self._added = {number: token.content for number, token in added.items()}
        self.special_ids = frozenset(number for number, token in added.items() if token.special)
        self.nameless_ids = frozenset(range(self._size)).difference(self._tokens)
        self.kind = KINDS[type(self.library.model).__name__]

    @property
    def json(self) -> str:
        """The text of its tokenizer.json."""
        return self.library.to_str() if self._text is None else self._text

    @cached_property
    def unknown_id(self) -> int | None:  # type: ignore[override]  # found when asked for
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
            found = self.library.encode_batch_fast(list(map(clean, texts)), add_special_tokens=False)
        except BaseException as error:
            raise tokenizer_fails(error, "give it an unknown token") from error
        return [as_ids(encoding.ids) for encoding in found]

    def locate(self, texts: Sequence[str]) -> list[Located]:
        """Return the tokens of each text and where they lie in it."""
        try:
            found = self.library.encode_batch(list(map(clean, texts)), add_special_tokens=False)
        except BaseException as error:
            raise tokenizer_fails(error, "give it an unknown token") from error
        return [
            Located(as_ids(encoding.ids), encoding.tokens, np.array(encoding.offsets, np.int64).reshape(-1, 2))
            for encoding in found
        ]

    def token(self, number: int) -> str:
        """Return the token of an id as the tokenizer.json writes it."""
        return self._tokens.get(self._checked(number), nameless(number))

    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes of text that an id stands for: a token inside a word loses its mark, `▁` is a blank."""
        token = self.token(number)
        if number in self.special_ids or number in self.nameless_ids or number == self.unknown_id:
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
        """What its tokenizer.json says, but for the vocabulary's place: the library's own, not the file's text."""
        document: dict[str, Any] = json.loads(self.library.to_str())
        return document

    @cached_property
    def _is_byte_level(self) -> bool:
        return any(step["type"] == "ByteLevel" for step in _steps(self._document, "pre_tokenizer", "decoder"))

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
        """What stands for a blank in tokens; empty where none does."""
        for step in _steps(self._document, "pre_tokenizer", "decoder"):
            if step["type"] == "Metaspace":
                return str(step["replacement"])
            if step["type"] == "Replace" and step["content"] == " ":
                return str(step["pattern"].get("String", ""))
        return ""


def parsed(text: str, source: str) -> LibraryTokenizer:
    """Return the tokenizer of a tokenizer.json's text; raises FileFormatError, naming `source`, where it is none."""
    check_merges(text, source)
    with refusing(source):
        library = Tokenizer.from_str(text)
    return LibraryTokenizer(library, text=text, source=source)


def check_merges(text: str, source: str) -> None:
    """Raise FileFormatError for byte-pair merges that contradict the vocabulary of a tokenizer.json.

    The library would panic on some of them: an exception that is not an `Exception`, and a Rust backtrace on standard
    error. What is not a tokenizer.json at all is left to it.
    """
    try:
        model = json.loads(text)["model"]
        vocabulary, prefix = model["vocab"], model.get("continuing_subword_prefix") or ""
        merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in model.get("merges") or ()]
        pairs = [(left + "", right + "") for left, right in merges]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    for rank, (left, right) in enumerate(pairs):
        wrong = {left, right, left + right[len(prefix) :]}.difference(vocabulary)
        if wrong or not right.startswith(prefix):
            why = f"{min(wrong)!r} is not in it" if wrong else f"{right!r} does not begin with {prefix!r}"
            raise FileFormatError(
                f"{source}: merge {rank} of {left!r} and {right!r} contradicts the vocabulary: {why}; restore the file"
            )


@contextmanager
def refusing(source: str) -> Iterator[None]:
    """Raise FileFormatError, naming `source`, for whatever the library raises: nothing narrower, and panics."""
    try:
        yield
    except (RowspaceError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise FileFormatError(
            f"{source}: does not open as a tokenizer ({reason_of(error)}); restore the file"
        ) from error


def opened(tokenizer: AnyTokenizer) -> OpenedTokenizer:
    """Return a tokenizer of the `tokenizers` library as all others are; one that is so already, itself."""
    return tokenizer if isinstance(tokenizer, OpenedTokenizer) else LibraryTokenizer(tokenizer)


def library_of(tokenizer: AnyTokenizer, what: str) -> Tokenizer:
    """Return the `tokenizers` library's own; raises UsageError, saying `what` needs it, for another kind.

    >>> from tokenizers.models import BPE
    >>> library_of(LibraryTokenizer(Tokenizer(BPE({"a": 0}, []))), "fit").get_vocab_size()
    1
    """
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if isinstance(tokenizer, LibraryTokenizer):
        return tokenizer.library
    raise UsageError(
        f"{what} needs a tokenizer.json, and this tokenizer has none; make one with transformers: "
        "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER), and name NEW_FOLDER"
    )


def _bare(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer without truncation and padding, itself if it has none."""
    if tokenizer.truncation is None and tokenizer.padding is None:
        return tokenizer
    bare = Tokenizer.from_str(tokenizer.to_str())
    bare.no_truncation()
    bare.no_padding()
    return bare


def _steps(document: dict[str, Any], *names: str) -> Iterator[dict[str, Any]]:
    """Yield each step of these parts of a tokenizer.json, those of sequences too."""
    for name in names:
        waiting = [document[name]]
        while waiting:
            step = waiting.pop()
            if step is not None:
                yield step
                waiting += step.get("pretokenizers", []) + step.get("decoders", [])

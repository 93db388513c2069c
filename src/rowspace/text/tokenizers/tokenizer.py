"""What every tokenizer that opens here can do, whoever made it: `OpenedTokenizer`.

Ids are those of its owner's library, without special tokens around a text and without truncation. Left out: opening one
(opening.py). Read next: library.py, tiktoken_reader.py, sentencepiece_reader.py, the three kinds there are.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, UsageError, reason_of

__all__ = ["Ids", "Located", "OpenedTokenizer", "as_ids", "check_ids", "nameless", "tokenizer_fails"]

Ids = NDArray[np.int32]
_SPARE = 1000  # ids without a token that a small tokenizer may have


@dataclass(frozen=True, eq=False)
class Located:
    """The tokens of a text: `ids` int32 (n,), the text of each as shown, and where in the text it lies.

    `offsets`: int64 (n, 2), the characters at which each begins and ends; tokens that share one character all hold it.
    """

    ids: Ids
    tokens: list[str]
    offsets: NDArray[np.int64]


class OpenedTokenizer(ABC):
    """A tokenizer that somebody made, with ids from 0 to len - 1, some of which may have no token.

    `kind`: bpe, unigram, wordpiece, words or characters. `unknown_id`: what stands for text that it cannot write, None
    where there is none. `special_ids`: tokens that stand for no text. `nameless_ids`: ids that have no token.
    """

    kind: str
    unknown_id: int | None
    special_ids: frozenset[int]
    nameless_ids: frozenset[int]

    @property
    def json(self) -> str | None:
        """The text of its tokenizer.json, None where there is none."""
        return None

    @property
    def vocabulary(self) -> list[str]:
        """The tokens in id order."""
        return [self.token(number) for number in range(len(self))]

    def encode(self, text: str) -> Ids:
        """Return the ids of a text: int32 (n,); raises UsageError where the tokenizer fails on it."""
        return self.encode_batch([text])[0]

    @abstractmethod
    def __len__(self) -> int:
        """How many ids there are: one more than the highest."""

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> list[Ids]:
        """Return the ids of each text, on several threads; raises UsageError where the tokenizer fails on one."""

    @abstractmethod
    def locate(self, texts: Sequence[str]) -> list[Located]:
        """Return the tokens of each text and where they lie in it; raises as `encode_batch` does."""

    @abstractmethod
    def token(self, number: int) -> str:
        """Return the token of an id, readable; raises UsageError for an id that is out of range."""

    @abstractmethod
    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes of text that an id stands for, None where it stands for none; raises as `token` does."""

    def _checked(self, number: int) -> int:
        if not 0 <= number < len(self):
            raise UsageError(f"token id {number} is out of range for a tokenizer of {plural(len(self), 'id')}")
        return number


def as_ids(ids: Iterable[int]) -> Ids:
    """Return ids as int32 (n,), in memory of their own."""
    return np.array(ids, np.int32)


def nameless(number: int) -> str:
    """Return what an id without a token is called.

    >>> nameless(7)
    '[id 7 has no token]'
    """
    return f"[id {number} has no token]"


def check_ids(highest: int, tokens: int, source: str) -> None:
    """Raise FileFormatError for ids that go far beyond the number of tokens: a table of them would be mostly empty."""
    if highest + 1 > 2 * tokens + _SPARE:
        raise FileFormatError(f"{source}: has ids up to {highest} for {plural(tokens, 'token')}; restore the file")


def tokenizer_fails(error: BaseException, step: str) -> UsageError:
    """Return the error to raise where a library cannot encode a text; Ctrl-C and an exit go on as they are.

    `step`: what the caller can do.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    return UsageError(f"the tokenizer fails on this text ({reason_of(error)}); {step}")

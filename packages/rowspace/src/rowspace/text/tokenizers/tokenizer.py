"""`Tokenizer`: the interface of all tokenizers that rowspace opens, whichever library runs them.

Ids are those of that library, without special tokens around a text and without truncation.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace._base.validate import check_texts
from rowspace.errors import FileFormatError, UsageError, reason_of

if TYPE_CHECKING:
    from rowspace.table import Table
    from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer

__all__ = ["Encoding", "Ids", "Tokenizer", "as_ids", "encoding_error", "unused_token", "validate_ids"]

Ids = NDArray[np.int32]
_SPARE = 1000  # ids without a token that a small tokenizer may have


@dataclass(frozen=True, eq=False)
class Encoding:
    """The tokens of a text.

    Attributes:
        ids: int32 (n,).
        tokens: The text of each token, as shown.
        offsets: int64 (n, 2), the characters of the text at which each token begins and ends; tokens that share one
            character all hold it.
    """

    ids: Ids
    tokens: list[str]
    offsets: NDArray[np.int64]


class Tokenizer(ABC):
    """A tokenizer of another library, with ids from 0 to len - 1, some of which may have no token.

    Attributes:
        kind: bpe, unigram, wordpiece, words or characters.
        unknown_id: The id for text without a token, or None.
        special_ids: Ids of tokens that represent no text.
        unused_ids: Ids that have no token.
    """

    kind: str
    unknown_id: int | None
    special_ids: frozenset[int]
    unused_ids: frozenset[int]

    @staticmethod
    def of_table(table: "Table") -> "HuggingFaceTokenizer":
        """Open the tokenizer that comes with a table.

        Raises:
            UsageError: the table has none.
            FileFormatError: it does not open.

        >>> import numpy as np
        >>> from rowspace.files.tokenizer_json import whitespace_json
        >>> from rowspace.table import Table
        >>> words = ["the", "cat"]
        >>> table = Table(words, np.eye(2), tokenizer=whitespace_json(words))
        >>> Tokenizer.of_table(table).encode("the cat").tolist()
        [0, 1]
        """
        from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer  # it imports this module

        if table.tokenizer is None:
            raise UsageError("this table has no tokenizer; look up its tokens with table.ids, or open a tokenizer file")
        return HuggingFaceTokenizer.from_json(table.tokenizer, "the table's tokenizer")

    @property
    def json(self) -> str | None:
        """The text of its tokenizer.json, None if it has none."""
        return None

    @property
    def vocabulary(self) -> list[str]:
        """The tokens in id order."""
        return [self.token(number) for number in range(len(self))]

    def encode(self, text: str) -> Ids:
        """Return the ids of a text: int32 (n,).

        Raises:
            UsageError: the tokenizer fails on the text.
        """
        return self.encode_batch([text])[0]

    @abstractmethod
    def __len__(self) -> int:
        """The number of ids: one more than the highest."""

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> list[Ids]:
        """Return the ids of each text, computed on several threads.

        Raises:
            UsageError: the tokenizer fails on a text.
        """

    @abstractmethod
    def encode_with_offsets(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the ids, tokens and offsets of each text.

        Raises:
            UsageError: the tokenizer fails on a text.
        """

    @abstractmethod
    def token(self, number: int) -> str:
        """Return the token of an id, readable.

        Raises:
            UsageError: the id is out of range.
        """

    def shown(self, number: int) -> str:
        """Return what is shown of a token to people: as `Table.shown`, decoded if the tokenizer is byte-level.

        Raises:
            UsageError: the id is out of range.
        """
        return self.token(number)

    @abstractmethod
    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes of text that an id represents, or None.

        Raises:
            UsageError: the id is out of range.
        """

    def _validate_id(self, number: int) -> int:
        if not 0 <= number < len(self):
            raise UsageError(f"token id {number} is out of range for a tokenizer of {plural(len(self), 'id')}")
        return number


def as_ids(ids: Iterable[int]) -> Ids:
    """Return a copy of ids as int32 (n,)."""
    return np.array(ids, np.int32)


def unused_token(number: int) -> str:
    """Return what is shown for an id without a token.

    >>> unused_token(7)
    '[id 7 has no token]'
    """
    return f"[id {number} has no token]"


def validate_ids(highest: int, tokens: int, source: str) -> None:
    """Raise FileFormatError for ids far beyond the number of tokens: a table of them would be mostly empty."""
    if highest + 1 > 2 * tokens + _SPARE:
        raise FileFormatError(f"{source}: has ids up to {highest} for {plural(tokens, 'token')}; restore the file")


def encoding_error(error: BaseException, texts: Sequence[object], step: str) -> UsageError:
    """Return the error to raise where a library cannot encode a text; Ctrl-C and an exit are raised unchanged.

    `step`: what the caller can do if all texts are strings.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        raise error
    check_texts(texts)
    return UsageError(f"the tokenizer fails on this text ({reason_of(error)}); {step}")

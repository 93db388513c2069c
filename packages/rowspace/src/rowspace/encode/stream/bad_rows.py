"""Rows without a text: how many there are, the first of them, and their vectors, which are zeros."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError
from rowspace.text.corpus import BadRow

__all__ = ["BadRows", "VectorEncoder", "encode_texts"]

MAX_NAMED = 20  # of a file of vectors


class BadRows:
    """Counts rows without a text.

    Args:
        strict: Whether a row without a text is an error.
        count: How many there are already.
        first: The first of these.

    Attributes:
        count: How many there are.
        first: The first `MAX_NAMED` of them.
    """

    def __init__(self, *, strict: bool = False, count: int = 0, first: Iterable[BadRow] = ()) -> None:
        self._strict, self.count, self.first = strict, count, [*first]

    def add(self, row: BadRow) -> None:
        """Count a row; raise `FileFormatError` if that is an error."""
        if self._strict:
            raise FileFormatError(
                f"{row.place}: {row.problem}; repair or remove it, or leave out --strict (strict=True in Python), and "
                "its vector is zeros"
            )
        self.count += 1
        if len(self.first) < MAX_NAMED:
            self.first.append(row)


class VectorEncoder(Protocol):
    """What a stream needs of an encoder."""

    @property
    def texts_at_once(self) -> int:
        """The largest useful number of texts of a call: the progress is reported, and can be saved, after each."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors."""

    def encode(self, texts: list[str]) -> NDArray[Any]:
        """Return the vectors (n, d) of n texts."""


def encode_texts(encoder: VectorEncoder, texts: Sequence[str | None]) -> NDArray[Any]:
    """Return the contiguous vectors (n, d) of n texts, zeros for None."""
    empty = [place for place, text in enumerate(texts) if text is None]
    vectors = np.ascontiguousarray(encoder.encode([text or "" for text in texts]))
    if empty:
        vectors = vectors if vectors.flags.writeable else vectors.copy()
        vectors[empty] = 0
    return vectors

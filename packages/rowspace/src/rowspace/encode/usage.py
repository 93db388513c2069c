"""Counts of an encoder's texts and tokens: unknown ones, scanned ones, and whether importing numba is worth it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import add
from threading import get_ident

__all__ = ["Counters", "NumbaSwitch", "Report"]

# From so many texts or characters on, the library takes longer than the import of numba.
WORTH_TEXTS, WORTH_CHARACTERS = 1_000, 100_000


@dataclass(frozen=True)
class Report:
    """What an encoder has encoded since it was made.

    Attributes:
        texts: Number of texts.
        tokens: Number of their tokens.
        unknown_tokens: Tokens without a row: unknown words, or ids beyond the table.
        composed_tokens: Out-of-vocabulary words with a row computed from their n-grams.
        scanned_texts: Texts whose ids a scanner gave; the rest went through the `tokenizers` library, or were split at
            white space.
        scanned_bytes: Their bytes of UTF-8.
        bytes: Bytes of all texts.
    """

    texts: int = 0
    tokens: int = 0
    unknown_tokens: int = 0
    composed_tokens: int = 0
    scanned_texts: int = 0
    scanned_bytes: int = 0
    bytes: int = 0

    @property
    def unknown_share(self) -> float:
        """The share of tokens without a row, 0 if there were no tokens."""
        return self.unknown_tokens / self.tokens if self.tokens else 0.0

    @property
    def scanned_share(self) -> float:
        """The share of the text, in bytes, that a scanner read; 0 if there was no text."""
        return self.scanned_bytes / self.bytes if self.bytes else 0.0


class Counters:
    """Sums that several threads add to without a lock, which a fork could leave locked.

    Args:
        size: Number of sums.

    >>> counters = Counters(2)
    >>> counters.add(1, 5)
    >>> counters.add(2, 0)
    >>> counters.totals()
    [3, 5]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._by_thread: dict[int, list[int]] = {}  # each thread writes its own list only

    def add(self, *amounts: int) -> None:
        """Add an amount to each sum."""
        own = self._by_thread.get(get_ident())
        if own is None:
            own = self._by_thread.setdefault(get_ident(), [0] * self._size)
        own[:] = map(add, own, amounts)

    def totals(self) -> list[int]:
        """Return the sums."""
        return [sum(column) for column in zip([0] * self._size, *list(self._by_thread.values()), strict=True)]


class NumbaSwitch:
    """Whether kernels should be used: not for the first texts of a process, which numba's import would delay."""

    def __init__(self) -> None:
        self._texts = 0
        self._characters = 0

    def is_on_for(self, texts: Sequence[str]) -> bool:
        """Whether numba is imported, now that these texts are next."""
        return "numba" in sys.modules or self.is_on(len(texts), sum(map(len, texts)))

    def is_on(self, texts: int, characters: int) -> bool:
        """Whether numba is imported; it is now if there was enough text to import it.

        Args:
            texts: The number of the next texts; they are added to those before.
            characters: Their characters.
        """
        if "numba" not in sys.modules:
            self._texts += texts
            self._characters += characters
            if self._texts < WORTH_TEXTS and self._characters < WORTH_CHARACTERS:
                return False
            import_module("numba")  # before several threads need it
        return True

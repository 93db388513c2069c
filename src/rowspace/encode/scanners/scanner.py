"""`Scanner`: what a fast path offers."""

import sys
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["Scanner", "is_worth_loading"]

MANY_TEXTS, MANY_BYTES = 1000, 200_000  # from here on, scanning saves more time than loading Numba takes


class Scanner(ABC):
    """A kernel with the ids of one tokenizer.json, without special tokens around a text and without truncation.

    It may be called from several threads at a time, and pickles.
    """

    name: str
    """The kind of tokenizer, such as "bert"."""

    @abstractmethod
    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and which of these texts it leaves to the library.

        Returns:
            Ids of last - first texts, and the indices of the texts left, counted from `first`, ascending; their lists
            of ids are empty.
        """


def is_worth_loading(buffer: TextBuffer) -> bool:
    """Return whether a scanner should load its kernels: for many texts, or if Numba is loaded anyway.

    Numba takes longer to load than the library takes for the first few texts of a process.
    """
    many = buffer.indptr.size > MANY_TEXTS or buffer.data.size >= MANY_BYTES
    return many or "numba" in sys.modules

"""`Scanner`: what a fast path offers."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["Scanner"]


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

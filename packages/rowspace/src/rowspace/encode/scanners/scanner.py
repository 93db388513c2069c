"""`Scanner`: what a fast path offers, and which post-processors of a tokenizer.json matter to it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["Scanner", "adds_nothing"]


def adds_nothing(step: Mapping[str, Any] | None) -> bool:
    """Return whether a post-processor leaves the ids of one text as they are, apart from special tokens.

    Args:
        step: The `post_processor`, as the library writes it.

    >>> adds_nothing({"type": "BertProcessing"}), adds_nothing({"type": "Unheard-of"})
    (True, False)
    """
    match step:
        case None | {"type": "ByteLevel" | "RobertaProcessing" | "BertProcessing"}:
            return True
        case {"type": "TemplateProcessing", "single": list(single)}:
            return [piece["Sequence"]["id"] for piece in single if "Sequence" in piece] == ["A"]
        case {"type": "Sequence", "processors": list(processors)}:
            return all(map(adds_nothing, processors))
    return False


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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tables"}

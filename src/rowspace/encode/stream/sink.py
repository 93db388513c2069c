"""`Sink`: what a kind of output offers, and what it is opened with."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Sink", "SinkOptions"]


@dataclass(frozen=True)
class SinkOptions:
    """What a sink writes.

    Attributes:
        folder: The run folder, in which it writes.
        width: Numbers of a vector.
        dtype: Their dtype.
        keeps_text: Whether the output has a column of texts, where the format has columns.
    """

    folder: Path
    width: int
    dtype: np.dtype[Any]
    keeps_text: bool


class Sink(ABC):
    """Vectors → a file in the run folder that can be continued after a kill, and then the output."""

    @abstractmethod
    def write(self, texts: list[str], vectors: NDArray[Any]) -> None:
        """Write the vectors (n, width) of n texts."""

    @abstractmethod
    def commit(self) -> int:
        """Sync all that was written to the disk, and return the mark from which the sink can be opened again."""

    @abstractmethod
    def finish(self, target: Path) -> None:
        """Close the sink, and move the complete output to `target` in one step."""

    @abstractmethod
    def close(self) -> None:
        """Close open files."""

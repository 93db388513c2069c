"""`Sink`: what a kind of output offers, and what it is opened with."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.stream.bad_rows import BadRows
from rowspace.encode.stream.columns import SourceColumns

__all__ = ["Mark", "Sink", "SinkOptions"]


class Mark(NamedTuple):
    """What is complete of an output, from which a killed run continues.

    Attributes:
        size: The sink's own count: of rows, or of parts.
        checksums: CRC-32 of what is complete: of all rows, or of each part. None in runs of earlier versions.
    """

    size: int
    checksums: tuple[int, ...] | None


@dataclass(frozen=True)
class SinkOptions:
    """What a sink writes.

    Attributes:
        folder: The run folder, in which it writes.
        width: Numbers of a vector.
        dtype: Their dtype.
        keeps_text: Whether the output has a column of texts, where the format has columns.
        vector_column: The column of vectors.
        columns: The columns of the source, which the output has instead of a column of texts.
        bad: The rows without a text, complete when the sink is finished.
    """

    folder: Path
    width: int
    dtype: np.dtype[Any]
    keeps_text: bool
    vector_column: str = "vector"
    columns: SourceColumns | None = None
    bad: BadRows = field(default_factory=BadRows)


class Sink(ABC):
    """Vectors → a file in the run folder that can be continued after a kill, and then the output."""

    @abstractmethod
    def write(self, texts: Sequence[str | None], vectors: NDArray[Any]) -> None:
        """Write the vectors (n, width) of n texts, of which some may be missing."""

    @abstractmethod
    def commit(self) -> Mark:
        """Sync all that was written to the disk, and return the mark from which the sink can be opened again."""

    @abstractmethod
    def finish(self, target: Path, on_rows: Callable[[int], None]) -> None:
        """Close the sink, and move the complete output to `target` in one step.

        Args:
            target: The output.
            on_rows: Called with the number of rows copied so far, if they are copied.
        """

    @abstractmethod
    def close(self) -> None:
        """Close open files."""

"""`StreamOptions`: how a source becomes a file of vectors; its progress, and its result."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rowspace.errors import UsageError
from rowspace.files.remote import RemotePath
from rowspace.text.corpus import BadRow

__all__ = ["StreamOptions", "StreamProgress", "StreamResult"]

SECONDS_BETWEEN_SAVES = 5.0  # of the state, and so the work that a kill loses


@dataclass(frozen=True)
class StreamOptions:
    """How a source is read and vectors are saved.

    Attributes:
        column: The column that holds the text, of files with records; dots separate nested names.
        keep_text: Save the texts in a column next to the vectors, in formats that have columns. All other columns of
            files with records are saved there too, null for files that lack them.
        vector_column: The column of vectors, in formats that have columns.
        strict: Whether a row of a file without a text is an error; otherwise its vector is zeros. Such a row is a line
            that is not UTF-8, or a record that is damaged or has no text in the column.
        seconds_between_saves: Interval at which the state is saved from which a killed run resumes.
    """

    column: str | None = None
    keep_text: bool = True
    vector_column: str = "vector"
    strict: bool = False
    seconds_between_saves: float = SECONDS_BETWEEN_SAVES

    def __post_init__(self) -> None:
        if not self.vector_column:
            raise UsageError("vector_column must be the name of a column, not ''")


class StreamProgress(NamedTuple):
    """How far a run is.

    Attributes:
        texts: Texts that have a vector, with those of the run that was resumed; 0 while the columns of records are
            read.
        new_texts: Those of this run.
        bytes: Bytes that this run has read from files.
        total_bytes: Their size, or None if it is unknown.
        saved_texts: Texts that are in the output, while it is written from the rows of all texts, which is reported if
            it takes more than a second; None before.
    """

    texts: int
    new_texts: int
    bytes: int
    total_bytes: int | None
    saved_texts: int | None = None


class StreamResult(NamedTuple):
    """A file of vectors.

    Attributes:
        path: The path or URL of the output.
        texts: The number of its rows.
        dim: Numbers of a row.
        dtype: Their dtype.
        resumed_texts: Number of rows written before the run was resumed.
        seconds: Duration of this run.
        bad: How many rows have no text.
        bad_rows: The first of them.
    """

    path: Path | RemotePath
    texts: int
    dim: int
    dtype: str
    resumed_texts: int
    seconds: float
    bad: int = 0
    bad_rows: tuple[BadRow, ...] = ()

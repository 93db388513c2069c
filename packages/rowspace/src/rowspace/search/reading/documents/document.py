"""`Document`: the text of a file, the source line of each position, and its sections."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Document", "Section", "line_starts"]


class Section(NamedTuple):
    """A part of a document that has a name, such as the text under a heading, or a function.

    Attributes:
        start, end: The range of its characters.
        name: Its name with those of the sections around it; empty for text between named parts.
        is_prose: Whether it is prose, or code; by default as its document.
    """

    start: int
    end: int
    name: str
    is_prose: bool | None = None


@dataclass(frozen=True)
class Document:
    r"""The text of a file.

    Attributes:
        text: The text.
        sections: Ranges in the order of the text that do not overlap; text outside of them is not indexed.
        is_prose: Whether long sections are split at the ends of sentences, rather than lines.
        starts: Offsets in `text`, increasing, the first of them 0.
        lines: The line of the file, from 1, at each of `starts`; in a PDF, the page.

    >>> document = Document("a\nb\n", [Section(0, 4, "")], is_prose=True)
    >>> document.line_at(0), document.line_at(2)
    (1, 2)
    """

    text: str
    sections: Sequence[Section]
    is_prose: bool
    starts: Sequence[int] = field(default_factory=list)
    lines: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if not self.starts:
            object.__setattr__(self, "starts", line_starts(self.text))

    def line_at(self, offset: int) -> int:
        """Return the line of the file, or the page, at an offset in the text."""
        place = bisect_right(self.starts, offset) - 1
        return place + 1 if self.lines is None else self.lines[place]


def line_starts(text: str) -> "array[int]":
    r"""Return the offset of each line; lines end with "\n", as in editors.

    >>> list(line_starts("ab\nc"))
    [0, 3]
    """
    starts = array("q", [0])  # 8 bytes a line: a file can have millions
    while place := text.find("\n", starts[-1]) + 1:
        starts.append(place)
    return starts

"""A document → chunks: passages of a bounded length that begin and end with sections, paragraphs or sentences."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rowspace.search.reading.documents import Document, Section

__all__ = ["Chunk", "chunk_document"]

MIN_CHARS = 200
"""A shorter section is joined with the next one."""

MAX_NAME = 1_000
"""The maximum length of the name of a passage of several sections, in characters."""

# Each run of marks is tried once, from its first mark: a file can be a run of millions.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s+|[。\uff01\uff1f]+[\"'”’」』)]*")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)+")
_WORD = re.compile(r"\w")


class Chunk(NamedTuple):
    """A passage of a file.

    Attributes:
        first_line, last_line: Its lines in the file, from 1; pages in a PDF.
        name: The heading or function that it belongs to; empty if there is none.
        text: The passage.
    """

    first_line: int
    last_line: int
    name: str
    text: str


def chunk_document(document: Document, *, max_chars: int) -> Iterator[Chunk]:
    r"""Yield the passages of a document in order.

    A section is one chunk. Short ones are joined; long ones are split at a blank line, else at the end of a
    sentence (prose) or a line (code), else at a space.

    Args:
        document: The document.
        max_chars: The maximum length of a chunk.

    Yields:
        Chunks with at least one letter or digit.

    >>> text = "One sentence. Another one.\n\nA paragraph."
    >>> document = Document(text, [Section(0, len(text), "")], is_prose=True)
    >>> [chunk.text for chunk in chunk_document(document, max_chars=28)]
    ['One sentence. Another one.', 'A paragraph.']
    """
    for section in _joined(document.sections, max_chars):
        is_prose = document.is_prose if section.is_prose is None else section.is_prose
        for start, end in _split(document.text, section, max_chars, is_prose=is_prose):
            if chunk := _chunk(document, start, end, section.name):
                yield chunk


def _joined(sections: Iterable[Section], max_chars: int) -> Iterator[Section]:
    """Join each section that is too short with its neighbors."""
    pending: Section | None = None
    for section in sections:
        if pending is None:
            pending = section
        elif min(pending.end - pending.start, section.end - section.start) < MIN_CHARS and (
            section.end - pending.start <= max_chars
        ):
            pending = pending._replace(end=section.end, name=_both(pending.name, section.name))
        else:
            yield pending
            pending = section
    if pending is not None:
        yield pending


def _both(first: str, second: str) -> str:
    """Return two names as one; without the second if it is too long or already there."""
    if not first or not second:
        return first or second
    both = f"{first}, {second}"
    return first if len(both) > MAX_NAME or second in first.split(", ") else both


def _split(text: str, section: Section, max_chars: int, *, is_prose: bool) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a section, each of at most `max_chars` and of about the same length."""
    start, end = section.start, section.end
    while end - start > max_chars:
        pieces = -(-(end - start) // max_chars)
        target = min(max_chars, (end - start) * 6 // (pieces * 5) + 1)
        cut = _paragraph_end(text, start + target // 2, start + max_chars)
        cut = cut or _best_cut(text, start + target // 2, start + target, is_prose=is_prose)
        yield start, cut
        start = cut
    yield start, end


def _paragraph_end(text: str, low: int, high: int) -> int:
    """Return the end of the last paragraph that ends in a range; 0 if there is none."""
    place = text.rfind("\n\n", low, high)
    return place + 2 if place >= 0 else 0


def _best_cut(text: str, low: int, high: int, *, is_prose: bool) -> int:
    """Return where to cut a paragraph in (low, high]: after the last sentence, line or word, else at `high`."""
    if is_prose and (ends := [match.end() for match in _SENTENCE_END.finditer(text, low, high)]):
        return ends[-1]
    for separator in ("\n", " "):
        if (place := text.rfind(separator, low, high)) >= 0:
            return place + 1
    return high


def _chunk(document: Document, start: int, end: int, name: str) -> Chunk | None:
    """Return the chunk of a range without the blank lines around it; None if it has no letter or digit."""
    if blank := _BLANK_LINES.match(document.text, start, end):
        start = blank.end()
    text = document.text[start:end].rstrip()
    if not _WORD.search(text):
        return None
    return Chunk(document.line_at(start), document.line_at(start + len(text) - 1), name, text)

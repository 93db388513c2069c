"""Definitions in source code → the sections of a document: one for each function, and for what lies between them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rowspace.search.reading.documents.document import Section

__all__ = ["Definition", "outline_sections"]

MAX_NAME = 500
"""The maximum length of a name with those around it, in characters."""


@dataclass(frozen=True)
class Definition:
    """A function, class or other named part of source code.

    Attributes:
        first_line, last_line: Its lines, from 1, with decorators.
        name: Its own name.
        children: The definitions inside it.
    """

    first_line: int
    last_line: int
    name: str
    children: Sequence["Definition"] = field(default_factory=list)


def outline_sections(
    text: str, starts: Sequence[int], definitions: Sequence[Definition], *, max_chars: int
) -> list[Section]:
    r"""Return sections that cover the text: a definition, with comments directly above it, is one of them.

    A definition of more than `max_chars` characters is divided into its children and what lies between them.

    Args:
        text: The source code.
        starts: The offset of each line.
        definitions: The definitions at the top level, in order.
        max_chars: The length from which a definition is divided.

    Returns:
        The sections; the text between definitions has the name of the definition around it.

    >>> text = "import os\ndef f():\n    pass\n"
    >>> sections = outline_sections(text, [0, 10, 19, 28], [Definition(2, 3, "f")], max_chars=100)
    >>> [(section.start, section.end, section.name) for section in sections]
    [(0, 10, ''), (10, 28, 'f')]
    """
    return list(_Outline(text, starts, max_chars).sections(0, len(text), "", definitions))


@dataclass(frozen=True)
class _Outline:
    text: str
    starts: Sequence[int]
    max_chars: int

    def sections(self, start: int, end: int, name: str, definitions: Sequence[Definition]) -> Iterator[Section]:
        """Yield the sections of a range, whose definitions are given."""
        for each in definitions:
            begin = max(start, self._with_comments(each.first_line, start))
            stop = min(end, self._offset(each.last_line + 1))
            if stop <= begin:  # a definition on a line with the one before it
                continue
            if begin > start:
                yield Section(start, begin, name)
            inner = (f"{name}.{each.name}" if name else each.name)[:MAX_NAME]
            if stop - begin > self.max_chars and each.children:
                yield from self.sections(begin, stop, inner, each.children)
            else:
                yield Section(begin, stop, inner)
            start = stop
        if end > start:
            yield Section(start, end, name)

    def _offset(self, line: int) -> int:
        return self.starts[line - 1] if line <= len(self.starts) else len(self.text)

    def _with_comments(self, line: int, start: int) -> int:
        """Return the offset of a line, or of the comments directly above it, which begin at `start` or later."""
        while line > 1 and self._offset(line - 1) >= start and self._is_comment(line - 1):
            line -= 1
        return self._offset(line)

    def _is_comment(self, line: int) -> bool:
        start = self._offset(line)
        return self.text[start : start + 200].lstrip(" \t").startswith(("#", "//", "/*", "*", "--", ";;", "%%"))

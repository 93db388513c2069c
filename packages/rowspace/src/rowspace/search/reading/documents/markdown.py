"""Markdown → a document whose sections are those of its headings, found by markdown-it-py."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from rowspace.search.reading.documents.document import Document, Section, line_starts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

__all__ = ["HeadingPath", "markdown_sections", "read_markdown"]

_FRONT_MATTER = re.compile(r"---[ \t\r]*\n(?=[\w-]+ *:)(?:.*\n)*?(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
_TITLE = re.compile(r"^title *: *[\"']?([^\s>|].*?)[\"']?[ \r]*$", re.MULTILINE)  # not of several lines

# A file can nest containers without end, and the parser is recursive.
_MAX_NESTING = 20


class HeadingPath:
    """The names of sections: each heading with those above it.

    >>> path = HeadingPath()
    >>> path.add(1, "Guide"), path.add(2, "Install"), path.add(1, "Reference")
    ('Guide', 'Guide > Install', 'Reference')
    """

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []

    def add(self, level: int, title: str) -> str:
        """Return the name of the section of the next heading."""
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, " ".join(title.split())[:100]))
        return self.name

    @property
    def name(self) -> str:
        """The name of the section of the last heading; empty before the first."""
        return " > ".join(title for _, title in self._headings)


def read_markdown(text: str) -> Document:
    r"""Return a document with a section for each heading at the top level.

    Args:
        text: Markdown. Of lines of YAML at its beginning, between lines of `---`, the title is a heading.

    Returns:
        The document; its text is unchanged.

    >>> [section.name for section in read_markdown("---\ntitle: T\n---\nText\n## A\n").sections]
    ['T', 'T > A']
    >>> [section.name for section in read_markdown("Intro\n\n# A\n\n## B\n\n```\n# no heading\n```\n").sections]
    ['', 'A', 'A > B']
    """
    starts, path, parsed = line_starts(text), HeadingPath(), text
    if front := _FRONT_MATTER.match(text):
        parsed = re.sub(r"[^\n]", " ", front[0]) + text[front.end() :]
        if title := _TITLE.search(front[0]):
            path.add(1, title[1])
    return Document(text, markdown_sections(parsed, path, starts), is_prose=True, starts=starts)


def markdown_sections(text: str, path: HeadingPath, starts: Sequence[int] | None = None) -> list[Section]:
    """Return a section for each heading at the top level of a text.

    Args:
        text: Markdown.
        path: The headings above, to which those of the text are added.
        starts: The offset of each line, if they are known.
    """
    starts = starts or line_starts(text)
    sections = list[Section]()
    start, name = 0, path.name
    tokens = _blocks().parse(text.replace("\r", " "))  # a lone one is a new line for the parser, but not for editors
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            offset = starts[token.map[0]]
            if offset > start:
                sections.append(Section(start, offset, name))
            start, name = offset, path.add(int(token.tag[1:]), tokens[number + 1].content)
    if start < len(text):
        sections.append(Section(start, len(text), name))
    return sections


@cache
def _blocks() -> "MarkdownIt":
    """Return a parser of CommonMark's blocks, without what is inside of a line."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).disable(["inline"])

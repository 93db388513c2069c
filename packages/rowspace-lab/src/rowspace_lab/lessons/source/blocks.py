"""Parse a lesson into blocks: `---` around the header, prose, and `:::kind arguments` … `:::` around other blocks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal, cast

__all__ = ["TEXTS", "Block", "Document", "SourceError", "parse_document", "read_document"]

TEXTS = files("rowspace_lab.lessons").joinpath("texts")
"""The folder of the texts of lessons, claims, cards and panels."""

Kind = Literal["prose", "figure", "question", "exercise", "mistake", "claim", "card", "references", "closing"]
KINDS: Mapping[Kind, tuple[int, int]] = {
    "prose": (0, 1),
    "figure": (0, 1),
    "question": (2, 2),
    "exercise": (3, 3),
    "mistake": (2, 2),
    "claim": (2, 3),
    "card": (4, 4),
    "references": (1, 1),
    "closing": (1, 1),
}
"""The kinds of blocks, and how many parts each has, at least and at most."""
_PART = "\n---\n"


class SourceError(ValueError):
    """The source of a lesson is not well formed; the message has the line."""


@dataclass(frozen=True)
class Block:
    """A part of a lesson: its kind, the argument on its first line, its options, and its parts of Markdown.

    Attributes:
        kind: One of `KINDS`.
        argument: The address of a figure, or the name of a question or claim; "" for other blocks.
        options: The `name=value` pairs after the argument.
        parts: The Markdown between lines of `---`.
        line: The number of its first line.
    """

    kind: Kind
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Document:
    """A parsed source: the fields of its header and its blocks, in order."""

    header: Mapping[str, str]
    blocks: tuple[Block, ...]

    def of(self, kind: Kind) -> list[Block]:
        """Return the blocks of one kind."""
        return [block for block in self.blocks if block.kind == kind]


def read_document(name: str) -> Document:
    """Return a document of `TEXTS`, such as `ids.md` or `why/words.md`."""
    return parse_document(TEXTS.joinpath(name).read_text(encoding="utf-8"), name)


def parse_document(text: str, name: str = "the lesson") -> Document:
    r"""Parse the source of a lesson.

    >>> text = "---\ntitle: Ids\n---\nProse.\n:::question nearest table=six-words\nWhich?\n---\nThis.\n:::\n"
    >>> document = parse_document(text)
    >>> document.header["title"], [block.kind for block in document.blocks]
    ('Ids', ['prose', 'question'])
    >>> document.blocks[1].argument, document.blocks[1].options, document.blocks[1].parts
    ('nearest', {'table': 'six-words'}, ('Which?', 'This.'))

    Raises:
        SourceError: A block is not closed, is of an unknown kind, or has the wrong number of parts.
    """
    lines = text.split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        raise SourceError(f"{name}: the header must be the first block, between two lines of ---")
    end = lines.index("---", 1)
    header = {}
    for number, line in enumerate(lines[1:end], 2):
        key, colon, value = line.partition(":")
        if not colon:
            raise SourceError(f"{name}, line {number}: a line of the header must be 'name: value'")
        header[key.strip()] = value.strip()
    return Document(header, tuple(_blocks(lines, end + 1, name)))


def _blocks(lines: list[str], start: int, name: str) -> Iterator[Block]:
    """Yield the blocks from a line on; prose between other blocks is a block, too."""
    prose = start
    at = start
    while at < len(lines):
        if not lines[at].startswith(":::"):
            at += 1
            continue
        yield from _prose(lines, prose, at)
        end = next((other for other in range(at + 1, len(lines)) if lines[other].startswith(":::")), len(lines))
        if end == len(lines) or lines[end].strip() != ":::":
            raise SourceError(f"{name}, line {at + 1}: the block is not closed by a line of :::")
        yield _block(lines, at, end, name)
        prose = at = end + 1
    yield from _prose(lines, prose, len(lines))


def _prose(lines: list[str], start: int, end: int) -> Iterator[Block]:
    if text := "\n".join(lines[start:end]).strip():
        yield Block("prose", parts=(text,), line=start + 1)


def _block(lines: list[str], start: int, end: int, name: str) -> Block:
    kind, *words = lines[start][3:].split()
    if kind not in KINDS:
        raise SourceError(f"{name}, line {start + 1}: no block is named {kind!r}; the kinds are {', '.join(KINDS)}")
    text = "\n".join(lines[start + 1 : end]).strip()
    parts = tuple(part.strip() for part in text.split(_PART)) if text else ()
    low, high = KINDS[cast(Kind, kind)]
    if not low <= len(parts) <= high:
        expected = str(low) if low == high else f"{low} to {high}"
        raise SourceError(
            f"{name}, line {start + 1}: a {kind} has {expected} parts between lines of ---, not {len(parts)}"
        )
    arguments = [word for word in words if not re.match(r"\w+=", word)]
    if len(arguments) > 1:
        raise SourceError(f"{name}, line {start + 1}: a {kind} takes one argument, not {' '.join(arguments)}")
    options = dict(word.split("=", 1) for word in words if word not in arguments)
    return Block(cast(Kind, kind), arguments[0] if arguments else "", options, parts, start + 1)

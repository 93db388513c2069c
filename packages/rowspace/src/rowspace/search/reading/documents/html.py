"""HTML → a document of its visible text, with the line of each piece.

Tags are found by one regular expression in a single pass. Python's `html.parser` takes a time that is quadratic in the
number of tags or comments that do not end.
"""

import re
from array import array
from html import unescape

from rowspace.search.reading.documents.document import Document, Section
from rowspace.search.reading.documents.markdown import HeadingPath

__all__ = ["read_html"]

_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"  # a comment; like a tag, one that does not end takes the rest of the text
    r"|<(?:[!?]|/(?![a-zA-Z]))[^>]*+(?:>|\Z)"  # a declaration, and what browsers take for a comment
    r"|<(?P<is_end>/?)(?P<tag>[a-zA-Z][^\s/>]*+)"
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+(?:(?P<is_closed>(?<=/))?>|\Z)",
    re.DOTALL,
)
_RAW_END = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in ("script", "style")}
_LONG_REFERENCE = re.compile(r"&#0*(\d{8})\d*")  # Python refuses to convert thousands of digits

_HIDDEN = frozenset(("script", "style", "template", "noscript", "svg"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_INLINE = frozenset(
    (
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "u",
        "var",
    )
)


def read_html(text: str) -> Document:
    r"""Return a document of the text that a browser shows, with a section for each heading.

    Args:
        text: HTML, which may be malformed.

    Returns:
        The document; elements other than those inside a line begin on their own line.

    >>> document = read_html("<title>T</title><h1>A &amp; B</h1><p>One<b>two</b></p><script>x</script>")
    >>> document.text, document.sections[-1].name
    ('T\nA & B\nOnetwo\n', 'A & B')
    """
    found = _Text()
    place, line = 0, 1
    while match := _MARKUP.search(text, place):
        start, end = match.span()
        if start > place:
            found.add_data(text[place:start], line)
        if (tag := match["tag"]) and (tag := tag.lower()) not in _INLINE:
            end = _add_tag(found, tag, match, text)
        line += text.count("\n", place, end)
        place = end
    found.add_data(text[place:], line)
    return found.document()


def _add_tag(found: "_Text", tag: str, match: re.Match[str], text: str) -> int:
    """Add a tag that is not `_INLINE`, and return where the text after it begins: a script is not text."""
    is_closed = match["is_closed"] is not None
    if match["is_end"]:
        found.end_tag(tag)
        return match.end()
    found.start_tag(tag)
    if is_closed:
        found.end_tag(tag)
    elif tag in _RAW_END:
        end = _RAW_END[tag].search(text, match.end())
        return end.start() if end else len(text)
    return match.end()


class _Text:
    """Collects text, with the line and the section of each piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._starts, self._lines = array("q", [0]), array("q", [1])
        self._sections = [Section(0, 0, "")]
        self._path = HeadingPath()
        self._hidden = self._preformatted = 0
        self._heading: tuple[str, int, int] | None = None  # the tag, where its text begins, and with which piece

    def document(self) -> Document:
        """Return the document of all that was fed."""
        text = "".join(self._pieces)
        ends = [section.start for section in self._sections[1:]] + [len(text)]
        sections = [
            section._replace(end=end) for section, end in zip(self._sections, ends, strict=True) if end > section.start
        ]
        return Document(text, sections, is_prose=True, starts=self._starts, lines=self._lines)

    def start_tag(self, tag: str) -> None:
        """Begin a line, a heading, or hidden or preformatted text."""
        self._hidden += tag in _HIDDEN
        self._preformatted += tag == "pre"
        self._break()
        if tag in _HEADINGS and self._heading is None:
            self._heading = tag, self._length, len(self._pieces)

    def end_tag(self, tag: str) -> None:
        """End a line, a heading, or hidden or preformatted text."""
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        self._preformatted -= tag == "pre" and self._preformatted > 0
        if self._heading is not None and self._heading[0] == tag:
            _, start, first = self._heading
            title = "".join(self._pieces[first:])
            self._sections.append(Section(start, start, self._path.add(int(tag[1]), title)))
            self._heading = None
        self._break()

    def add_data(self, data: str, line: int) -> None:
        """Add text that begins in a line of the file; its spaces are collapsed as a browser does."""
        if self._hidden:
            return
        if "&" in data:
            data = unescape(_LONG_REFERENCE.sub(r"&#\1", data))
        for number, part in enumerate(data.split("\n")):
            if number:
                self._add("\n" if self._preformatted else " ", line + number)
            self._add(part if self._preformatted else _collapsed(part), line + number)

    def _add(self, piece: str, line: int) -> None:
        if piece[:1] == " " and not self._preformatted and self._ends_with_space():
            piece = piece[1:]
        if not piece:
            return
        if line > self._lines[-1]:
            self._starts.append(self._length)
            self._lines.append(line)
        self._pieces.append(piece)
        self._length += len(piece)

    def _ends_with_space(self) -> bool:
        return not self._pieces or self._pieces[-1][-1].isspace()

    def _break(self) -> None:
        if self._pieces and not self._pieces[-1].endswith("\n"):
            self._pieces.append("\n")
            self._length += 1


def _collapsed(part: str) -> str:
    collapsed = " ".join(part.split())
    if len(collapsed) == len(part):
        return collapsed
    return " " * part[0].isspace() + collapsed + " " * part[-1].isspace() if collapsed else " "

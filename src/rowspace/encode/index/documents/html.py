"""HTML → a document of its visible text, by Python's `html.parser`, which reports the line of each piece."""

from html.parser import HTMLParser

from rowspace.encode.index.documents.document import Document, Section
from rowspace.encode.index.documents.markdown import HeadingPath

__all__ = ["read_html"]

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
    parser = _Text()
    parser.feed(text)
    parser.close()
    return parser.document()


class _Text(HTMLParser):
    """Collects text, with the line and the section of each piece."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._length = 0
        self._starts, self._lines = [0], [1]
        self._sections = [Section(0, 0, "")]
        self._path = HeadingPath()
        self._hidden = self._preformatted = 0
        self._heading: tuple[str, int] | None = None  # the tag, and where its text begins

    def document(self) -> Document:
        """Return the document of all that was fed."""
        text = "".join(self._pieces)
        ends = [section.start for section in self._sections[1:]] + [len(text)]
        sections = [
            section._replace(end=end) for section, end in zip(self._sections, ends, strict=True) if end > section.start
        ]
        return Document(text, sections, is_prose=True, starts=self._starts, lines=self._lines)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, a heading, or hidden or preformatted text."""
        self._hidden += tag in _HIDDEN
        self._preformatted += tag == "pre"
        if tag not in _INLINE:
            self._break()
        if tag in _HEADINGS and self._heading is None:
            self._heading = tag, self._length

    def handle_endtag(self, tag: str) -> None:
        """End a line, a heading, or hidden or preformatted text."""
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        self._preformatted -= tag == "pre" and self._preformatted > 0
        if self._heading is not None and self._heading[0] == tag:
            start = self._heading[1]
            title = "".join(self._pieces)[start:] if self._length > start else ""
            self._sections.append(Section(start, start, self._path.add(int(tag[1]), title)))
            self._heading = None
        if tag not in _INLINE:
            self._break()

    def handle_data(self, data: str) -> None:
        """Add text, whose spaces are collapsed as a browser does."""
        if self._hidden:
            return
        line, _ = self.getpos()
        for number, part in enumerate(data.split("\n")):
            if number:
                self._add("\n" if self._preformatted else " ", line + number)
            self._add(part if self._preformatted else self._collapsed(part), line + number)

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Skip `<![...`, which HTML does not have, as a browser does; the base class would raise an error."""
        return self.parse_bogus_comment(i)

    def _collapsed(self, part: str) -> str:
        collapsed = " ".join(part.split())
        if not collapsed:
            return " " if part else ""
        return " " * part[0].isspace() + collapsed + " " * part[-1].isspace()

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

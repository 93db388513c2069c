"""Files that cost a parser much time, memory or stack: named ones, and random ones of each format."""

import random
import zlib
from collections.abc import Callable

from tests.fuzz.damage import damaged

__all__ = ["CASES", "FORMATS", "MB", "hostile", "page"]

KB, MB = 1_000, 1_000_000


def repeated(piece: str, size: int) -> bytes:
    """Return a piece repeated up to a size in bytes."""
    data = piece.encode()
    return (data * (size // len(data) + 1))[:size]


def pdf(objects: list[bytes]) -> bytes:
    """Return a PDF of objects, the first of which is its catalog."""
    data, offsets = b"%PDF-1.5\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(data))
    )


def page(stream: bytes, *filters: str, kids: int = 1) -> bytes:
    """Return a PDF whose pages all have one compressed stream."""
    for _ in filters:
        stream = zlib.compress(stream, 9)
    names = "".join(f"/{name}" for name in filters)
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[" + b"3 0 R " * kids + b"]/Count %d>>" % kids,
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            b"<</Filter[%s]/Length %d>>\nstream\n%s\nendstream" % (names.encode(), len(stream), stream),
        ]
    )


TEXT = b"BT /F 12 Tf 72 700 Td (tulips) Tj ET "

CASES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "1,100 nested braces": ("a.js", lambda: b"{" * 1100 + b"}" * 1100),
    "1,100 elif": ("a.py", lambda: b"if a: pass\n" + b"elif a: pass\n" * 1100),
    "200 kB of headings": ("a.md", lambda: repeated("# a\n", 200 * KB)),
    "10 MB of headings": ("a.md", lambda: repeated("# a\n###### b\n", 10 * MB)),
    "long headings above short ones": (
        "a.md",
        lambda: b"".join(b"#" * n + b" " + b"tulip " * 16 + b"\n" for n in range(1, 6)) + repeated("######a\n", MB),
    ),
    "1 MB of unclosed tags": ("a.html", lambda: repeated("<a", MB)),
    "1 MB of unclosed tags with blanks": ("a.html", lambda: repeated("<a ", MB)),
    "1 MB of unclosed comments": ("a.html", lambda: repeated("<!--", MB)),
    "1 MB of unclosed quotes": ("a.html", lambda: repeated("<a b='", MB)),
    "1 MB of headings without an end": ("a.html", lambda: repeated("<h1>a</h1><h2>b", MB)),
    "1 MB of scripts without an end": ("a.html", lambda: repeated("<script>", MB)),
    "a reference of 10,000 digits": ("a.html", lambda: b"<p>tulip &#" + b"9" * 10_000 + b";"),
    "40 kB of a<b<": ("a.cs", lambda: repeated("a<b<", 40 * KB)),
    "1 MB of a<b<": ("a.cs", lambda: repeated("a<b<", MB)),
    "10 MB of a<b<": ("a.cs", lambda: repeated("a<b<", 10 * MB)),
    "a list of 4 million numbers": ("a.py", lambda: b"a = [" + b"1," * 4_000_000 + b"]\n"),
    "100,000 nested brackets": ("a.py", lambda: b"a = " + b"[" * 100_000),
    "1 MB of minus signs": ("a.py", lambda: b"a = " + b"-" * MB + b"1\n"),
    "1 MB of functions after comments": ("a.js", lambda: repeated("/* a */ function f() {}\n", MB)),
    "1 MB of nested quotes": ("a.md", lambda: repeated(">", MB)),
    "1 MB of nested lists": ("a.md", lambda: repeated("- ", MB)),
    "10 MB of one-word paragraphs": ("a.md", lambda: repeated("a\n\n", 10 * MB)),
    "1 MB of link references": ("a.md", lambda: repeated("[a]: <", MB)),
    "10 MB of line ends": ("a.txt", lambda: b"\n" * (10 * MB)),
    "10 MB of full stops": ("a.txt", lambda: b"a" + b"." * (10 * MB - 1)),
    "10 MB on a line": ("a.txt", lambda: b"a" * (10 * MB)),
    "1 GB in a stream of 1 MB": ("a.pdf", lambda: page(bytes(1000 * MB), "FlateDecode")),
    "10 GB in two streams": ("a.pdf", lambda: page(zlib.compress(b" " * (1000 * MB), 9) * 10, "FlateDecode")),
    "100 MB of text in a stream": ("a.pdf", lambda: page(TEXT * 2_000_000, "FlateDecode")),
    "a page 200,000 times": ("a.pdf", lambda: page(TEXT, "FlateDecode", kids=200_000)),
}
"""The name and the content of each file, with what is hostile about it."""

_CODE = (
    *(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "a<b<",
        "a<",
        "::",
        "?a:",
        "&&",
        "-",
        "!",
        "*",
        "a,",
        "1,",
        "x.",
        "=",
        ";",
    ),
    *(
        '"',
        "'",
        "`",
        "${",
        '"""',
        "/*",
        "*/",
        "//",
        "#",
        "\\\n",
        "\n",
        "\t",
        " ",
        "@a ",
        "<<EOF\n",
        "<<-A ",
        'r#"',
        "%w(",
    ),
    *("if a {", "if (a) ", "else if (a) {}", "elif a: pass\n", "case a:", "begin\n", "do ", "end\n", "fi\n", "then "),
    *("class A {", "class A:\n ", "function f() {", "def f(", "fn f<", "=>", "->", "lambda x: ", "async ", "template<"),
    *(
        "namespace a {",
        "struct s {",
        "#if a\n",
        "#define a \\\n",
        "<div>",
        "<a b={",
        "?>",
        "<?php ",
        "new a(",
        "import a",
    ),
)
_MARKDOWN = (
    *(
        "# a\n",
        "###### b\n",
        "a\n===\n",
        "> ",
        "- ",
        "1. ",
        "* ",
        "+ ",
        "    ",
        "\t",
        "```\n",
        "~~~a\n",
        "`",
        "|a|",
        "\n\n",
    ),
    *(
        "[",
        "](",
        "![a](",
        "[a]: b\n",
        "[a]: <",
        "[^a]: ",
        "<",
        "<!--",
        "<div>\n",
        "<script>\n",
        "<?",
        "***",
        "_",
        "&#",
        "\\",
    ),
)
_HTML = (
    *(
        "<",
        "</",
        "<a ",
        "<a>",
        "</a>",
        "<b",
        "<p>",
        "<h1>",
        "</h1>",
        "<h2>b",
        "<pre>",
        "<script>",
        "</script",
        "<style>",
    ),
    *(
        "<!--",
        "-->",
        "<!",
        "<![",
        "<?",
        "='",
        '="',
        "/>",
        "&",
        "&#",
        "&#x",
        "&amp",
        "9",
        "<svg>",
        "<template>",
        "\n",
        " ",
    ),
)
_PDF = (
    "[",
    "]",
    "<<",
    ">>",
    "(",
    ")",
    "<",
    "/A ",
    "1 0 R ",
    "BT ",
    "ET ",
    "q ",
    "Q ",
    "Tj ",
    "(a) Tj ",
    "/F 1 Tf ",
    "% ",
)
_ANY = ("a", "\r", "\0", "\ufeff", "é", "e\u0301", "😀", ".", "。", "\u2028", "word ", "\x1b[", "0")

FORMATS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((".c", ".cpp", ".cs", ".dart", ".go", ".java", ".jl", ".js", ".kt", ".lua", ".m", ".php"), _CODE),
    **dict.fromkeys((".pl", ".py", ".rb", ".rs", ".scala", ".sh", ".swift", ".ts", ".tsx"), _CODE),
    ".md": _MARKDOWN,
    ".html": _HTML,
    ".pdf": _PDF,
    ".txt": _MARKDOWN,
}
"""What random files of each suffix are made of."""


def hostile(suffix: str, chance: random.Random) -> bytes:
    """Return a random file of a format, of at most about 1 MB."""
    pieces = (*FORMATS[suffix], *_ANY) if chance.random() < 0.5 else FORMATS[suffix]
    text = chance.choice((repeats, nested, mixed))(pieces, chance).encode()
    if suffix == ".pdf":
        text = page(text, *["FlateDecode"] * chance.randint(1, 2), kids=chance.choice((1, 1, 1000)))
    return damaged(text, chance) if chance.random() < 0.3 else text


def repeats(pieces: tuple[str, ...], chance: random.Random) -> str:
    """Return a few pieces, repeated together."""
    unit = "".join(chance.choices(pieces, k=chance.choice((1, 1, 1, 2, 3, 5))))
    return unit * (sized(chance) // len(unit) + 1)


def nested(pieces: tuple[str, ...], chance: random.Random) -> str:
    """Return pieces that open and close something, inside each other."""
    first, middle, last = chance.choices(pieces, k=3)
    times = sized(chance) // (len(first) + len(last)) + 1
    return first * times + middle + last * times


def mixed(pieces: tuple[str, ...], chance: random.Random) -> str:
    """Return many pieces in a random order."""
    return "".join(chance.choices(chance.choices(pieces, k=chance.randint(2, 12)), k=sized(chance) // 4 + 1))


def sized(chance: random.Random) -> int:
    """Return a size up to 1 MB, of any order of magnitude."""
    return int(10 ** chance.uniform(0, 6))

"""Bytes of files → documents and their sections."""

import ast
import io
import sysconfig
from pathlib import Path

import pypdf
import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError
from rowspace.search.reading.documents import read_document
from rowspace.search.reading.documents.document import line_starts
from rowspace.search.reading.documents.languages import LANGUAGES, language_definitions, python_definitions


def read(path, text, max_chars=1500):
    data = text if isinstance(text, bytes) else text.encode()
    return read_document(path, data, max_chars=max_chars)


def parts(document):
    """Return the name, the first line and the stripped text of each section."""
    return [
        (section.name, document.line_at(section.start), document.text[section.start : section.end].strip())
        for section in document.sections
    ]


@given(st.text(alphabet="a\n\r é中\x0c\u2028#`-=<>&;"), st.sampled_from([".txt", ".md", ".py", ".js", ".html", ".x"]))
def test_sections_are_in_order_and_lines_agree_with_the_text(text, suffix):
    document = read(f"file{suffix}", text)
    end = 0
    for section in document.sections:
        assert end <= section.start < section.end <= len(document.text)
        end = section.end
    if suffix != ".html":
        assert document.text == text.replace("\r\n", "\n")
        for offset in range(len(document.text)):
            assert document.line_at(offset) == document.text.count("\n", 0, offset) + 1


def test_html_is_read_in_the_encoding_that_it_declares():
    assert read("a.html", "<meta charset=windows-1251><p>привет".encode("cp1251")).text == "привет"


def test_markdown_headings():
    text = "Intro\n\nA\n===\n\n## B\n\n```\n# code\n```\n\n> # quoted\n\n## C\n# D #\n"
    assert [(name, line) for name, line, _ in parts(read("a.md", text))] == [
        ("", 1),
        ("A", 3),
        ("A > B", 6),
        ("A > C", 14),
        ("D", 15),
    ]


def test_html_shows_what_a_browser_shows_with_source_lines():
    text = (
        "<html><head><title>T</title><style>b{}</style></head>\n<body>\n<h1>One\n&amp; two</h1>\n"
        "<p>some   <b>bo</b>ld\n text</p><script>no()</script>\n<h2>Sub</h2><pre>a\n  b</pre><ul><li>x<li>y</ul>"
    )
    document = read("a.html", text)
    assert document.text == "T\nOne & two\nsome bold text\nSub\na\n  b\nx\ny\n"
    assert [(name, line) for name, line, _ in parts(document)] == [("", 1), ("One & two", 3), ("One & two > Sub", 7)]
    assert document.line_at(document.text.index("ld text") + 3) == 6
    assert document.line_at(document.text.index("  b")) == 8


def test_malformed_html():
    assert read("a.html", "</script></pre><h1>a<h2>b</h1><p>c<![bad[ <!-- d").text.startswith("a\nb\nc")


def test_python_functions_methods_and_comments_above():
    text = (
        "import os\n\n# about f\n@cache\ndef f():\n    return 1\n\n\nclass A:\n    x = 1\n\n    async def g(self):\n"
        "        def inner(): ...\n\nif os:\n    def h(): ...\n"
    )
    sections = parts(read("a.py", text, max_chars=30))
    assert [(name, line) for name, line, _ in sections] == [
        ("", 1),
        ("f", 3),
        ("", 7),
        ("A", 9),
        ("A.g", 12),
        ("", 14),
        ("h", 16),
    ]
    assert [name for name, _, _ in parts(read("a.py", text, max_chars=1000))] == ["", "f", "", "A", "", "h"]


def test_python_that_is_not_valid_here_is_read_by_tree_sitter():
    text = "def f():\n    print 'python 2'\n\ndef g():\n    pass\n"
    assert python_definitions(text) is None
    assert [name for name, _, _ in parts(read("a.py", text))] == ["f", "", "g"]


def test_tree_sitter_finds_the_functions_that_ast_finds():
    for name in ("json/decoder.py", "shlex.py", "dataclasses.py"):
        text = Path(sysconfig.get_path("stdlib"), name).read_text()
        theirs, ours = language_definitions(text, "python"), python_definitions(text)
        assert [each.name for each in ours] == [node.name for node in ast.parse(text).body if hasattr(node, "name")]
        assert theirs == ours, name


SOURCES = {
    "a.c": ("static int *f(int a)\n{\n return 0;\n}\n\nstruct S {\n int a;\n};\n", ["f", "S"]),
    "a.cpp": ("namespace n {\ntemplate<class T>\nT g(T x) { return x; }\n}\nvoid C::m() {}\n", ["n.g", "C::m"]),
    "a.cs": ("namespace N { class C { void M() {} } }", ["N.C.M"]),
    "a.go": ("package m\nfunc (s *S) M() {}\ntype T struct { a int }\n", ["M", "T"]),
    "a.java": ("class A {\n A() {}\n void m() {}\n}\n", ["A.A", "A.m"]),
    "a.js": (
        "export class A { m() { return 1 } }\nconst f = (a) => a\nexport default function g() {}\n",
        ["A.m", "f", "g"],
    ),
    "a.kt": ("class C { fun m() {} }\nfun f() {}\n", ["C.m", "f"]),
    "a.lua": ("local function f() end\nfunction M.g() end\n", ["f", "M.g"]),
    "a.php": ("<?php\nclass C { function m() {} }\nfunction f() {}\n", ["C.m", "f"]),
    "a.rb": ("module M\n class C\n  def m; end\n  def self.s; end\n end\nend\n", ["M.C.m", "M.C.s"]),
    "a.rs": ("#[test]\nfn z() {}\nimpl Foo for Bar {\n fn a(&self) {}\n}\n", ["z", "Bar.a"]),
    "a.scala": ("object O { def m = 1 }\n", ["O.m"]),
    "a.sh": ("f() { echo; }\nfunction g { echo; }\n", ["f", "g"]),
    "a.swift": ("class C { func m() {} }\nfunc f() {}\n", ["C.m", "f"]),
    "a.ts": (
        "export abstract class B<T> { private m(): void {} }\nnamespace N { export function q() {} }\n",
        ["B.m", "N.q"],
    ),
}


def test_functions_in_other_languages():
    for path, (text, expected) in SOURCES.items():
        names = [name for name, _, _ in parts(read(path, text, max_chars=1))]
        assert [name for name in names if name in expected] == expected, (path, names)


def test_every_grammar_opens_and_survives_nonsense():
    for suffix in LANGUAGES:
        assert "".join(text for _, _, text in parts(read(f"a{suffix}", "}{ ]] \n\ud83d".encode(errors="replace"))))


def test_pdf_has_pages_as_lines(tmp_path):
    document = read("a.pdf", two_pages())
    assert [(line, text) for _, line, text in parts(document)] == [(1, "first page"), (3, "third page")]
    for damaged in (b"%PDF-1.4 nothing", two_pages()[:200]):
        with pytest.raises(FileFormatError, match="PDF"):
            read("a.pdf", damaged)


def test_encrypted_pdf():
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(two_pages()))
    writer.encrypt("secret", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    with pytest.raises(FileFormatError, match="PDF"):
        read("a.pdf", file.getvalue())


def two_pages():
    """Return a PDF of three pages, the second of them empty, written by hand from the specification."""
    streams = [b"BT /F 12 Tf 72 700 Td (first page) Tj ET", b"", b"BT /F 12 Tf 72 700 Td (third page) Tj ET"]
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[4 0 R 6 0 R 8 0 R]/Count 3>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, stream in enumerate(streams):
        resources = f"/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * number} 0 R"
        page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]{resources}>>"
        objects += [page.encode(), b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream)]
    data, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(data)
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    )


def test_line_starts():
    assert list(line_starts("")) == [0]
    assert list(line_starts("a\n\nb\n")) == [0, 2, 3, 5]

"""The bytes of a file → a document, by the suffix of its name."""

from pathlib import PurePath

from rowspace.errors import FileFormatError
from rowspace.search.documents.document import Document, Section, line_starts
from rowspace.search.documents.html import read_html
from rowspace.search.documents.languages import LANGUAGES, language_definitions
from rowspace.search.documents.markdown import read_markdown
from rowspace.search.documents.outline import outline_sections
from rowspace.search.documents.pdf import read_pdf
from rowspace.search.documents.python import python_definitions

__all__ = ["decode_text", "has_plain_reading", "is_plain", "read_document"]

_SNIFFED = 8192  # bytes; a file with NUL among them is binary
_MARKDOWN = (".md", ".markdown", ".mdx")
_HTML = (".html", ".htm", ".xhtml")
_PROSE = (".txt", ".text", ".rst", ".adoc", ".org", ".tex", "")


def read_document(path: str, data: bytes, *, max_chars: int, plain: bool = False) -> Document:
    r"""Return the document of a file.

    Args:
        path: Its path, whose suffix selects the reader; a file with any other suffix is text.
        data: Its bytes.
        max_chars: The length from which a class is divided into its methods.
        plain: Read source code or Markdown as text, without a parser.

    Returns:
        The document.

    Raises:
        FileFormatError: If the file is binary, not UTF-8, or a damaged PDF.
        MissingExtraError: If a package for this type is not installed.

    >>> [section.name for section in read_document("a.py", b"def f():\n    return 1\n", max_chars=100).sections]
    ['f']
    """
    suffix = _suffix(path)
    if _is_pdf(suffix, data):
        return read_pdf(data)
    text = decode_text(data)
    if suffix in _HTML:
        return read_html(text)
    if suffix in _MARKDOWN and not plain:
        return read_markdown(text)
    if suffix in LANGUAGES and not plain:
        return _read_code(text, LANGUAGES[suffix], max_chars)
    is_prose = suffix in _PROSE or suffix in _MARKDOWN
    return Document(text, [Section(0, len(text), "")] if text else [], is_prose=is_prose)


def is_plain(path: str, data: bytes) -> bool:
    """Whether a file is read without a parser, in time and memory that are linear in its size."""
    suffix = _suffix(path)
    return not data or not (_is_pdf(suffix, data) or suffix in _HTML or suffix in _MARKDOWN or suffix in LANGUAGES)


def has_plain_reading(path: str, data: bytes) -> bool:
    """Whether a file that its parser cannot read may be read as text: not HTML, most of which is not text, nor PDF."""
    suffix = _suffix(path)
    return not (_is_pdf(suffix, data) or suffix in _HTML)


def _suffix(path: str) -> str:
    return PurePath(path).suffix.lower()


def _is_pdf(suffix: str, data: bytes) -> bool:
    return suffix == ".pdf" or data.startswith(b"%PDF-")


def decode_text(data: bytes) -> str:
    r"""Return the text of a file: UTF-8, or UTF-16 with a byte order mark.

    Args:
        data: The bytes of the file.

    Returns:
        The text without byte order mark; "\r\n" is "\n".

    Raises:
        FileFormatError: If it is binary, or text in another encoding.

    >>> decode_text(b"\xef\xbb\xbfa\r\nb")
    'a\nb'
    """
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not data.startswith(b"\xff\xfe\0\0"):
            text = data.decode("utf-16")
        elif b"\0" in data[:_SNIFFED]:
            raise FileFormatError("binary")
        else:
            text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError("not UTF-8") from error
    return text.replace("\r\n", "\n") if "\r" in text else text


def _read_code(text: str, language: str, max_chars: int) -> Document:
    starts = line_starts(text)
    source = text.replace("\r", " ")  # a lone one is a new line for Python, but not for editors
    definitions = python_definitions(source) if language == "python" else None
    if definitions is None:
        definitions = language_definitions(source, language)
    return Document(
        text, outline_sections(text, starts, definitions, max_chars=max_chars), is_prose=False, starts=starts
    )

"""The bytes of a file → a document, by the suffix of its name."""

import io
import logging
from collections.abc import Sequence
from pathlib import PurePath

from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.search.reading.documents.document import Document, Section, line_starts
from rowspace.search.reading.documents.encoding import decode_text
from rowspace.search.reading.documents.html import read_html
from rowspace.search.reading.documents.languages import LANGUAGES, language_definitions, python_definitions
from rowspace.search.reading.documents.markdown import read_markdown
from rowspace.search.reading.documents.notebook import read_notebook
from rowspace.search.reading.documents.outline import outline_sections

__all__ = ["has_plain_reading", "is_plain", "read_document"]

_MARKDOWN = (".md", ".markdown", ".mdx")
_HTML = (".html", ".htm", ".xhtml")
_NOTEBOOK = ".ipynb"
_MINIFIABLE = (".js", ".cjs", ".mjs", ".css")
_MIN_MINIFIED, _MINIFIED_LINE = 20_000, 500  # characters of the text, and of its lines in the mean
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
        FileFormatError: If the file is binary, in an unknown encoding, minified, or a damaged PDF or notebook.
        MissingExtraError: If a package for this type is not installed.

    >>> [section.name for section in read_document("a.py", b"def f():\n    return 1\n", max_chars=100).sections]
    ['f']
    """
    suffix = _suffix(path)
    if _is_pdf(suffix, data):
        return _read_pdf(data)
    text = decode_text(data, is_html=suffix in _HTML)
    if suffix in _HTML:
        return read_html(text)
    if suffix == _NOTEBOOK:
        return read_notebook(text, lambda source, language: _code_sections(source, language, max_chars))
    if suffix in _MARKDOWN and not plain:
        return read_markdown(text)
    if suffix in _MINIFIABLE and len(text) > _MIN_MINIFIED and len(text) > _MINIFIED_LINE * (text.count("\n") + 1):
        raise FileFormatError("minified")
    if suffix in LANGUAGES and not plain:
        return _read_code(text, LANGUAGES[suffix], max_chars)
    is_prose = suffix in _PROSE or suffix in _MARKDOWN
    return Document(text, [Section(0, len(text), "")] if text else [], is_prose=is_prose)


def is_plain(path: str, data: bytes) -> bool:
    """Whether a file is read without a parser, in time and memory that are linear in its size."""
    suffix = _suffix(path)
    has_parser = suffix in _HTML or suffix in _MARKDOWN or suffix in LANGUAGES or suffix == _NOTEBOOK
    return not data or not (_is_pdf(suffix, data) or has_parser)


def has_plain_reading(path: str, data: bytes) -> bool:
    """Whether a file that its parser cannot read may be read as text: not HTML or JSON, most of which is not text."""
    suffix = _suffix(path)
    return not (_is_pdf(suffix, data) or suffix in _HTML or suffix == _NOTEBOOK)


def _suffix(path: str) -> str:
    return PurePath(path).suffix.lower()


def _is_pdf(suffix: str, data: bytes) -> bool:
    return suffix == ".pdf" or data.startswith(b"%PDF-")


def _read_code(text: str, language: str, max_chars: int) -> Document:
    starts = line_starts(text)
    return Document(text, _code_sections(text, language, max_chars, starts), is_prose=False, starts=starts)


def _code_sections(text: str, language: str, max_chars: int, starts: Sequence[int] | None = None) -> list[Section]:
    """Return the sections of source code, whose language may have no grammar."""
    source = text.replace("\r", " ")  # a lone one is a new line for Python, but not for editors
    definitions = python_definitions(source) if language == "python" else None
    if definitions is None:
        definitions = language_definitions(source, language) if language in LANGUAGES.values() else []
    return outline_sections(text, starts or line_starts(text), definitions, max_chars=max_chars)


def _read_pdf(data: bytes) -> Document:
    """Return a document with the text of all pages; its lines are page numbers.

    Args:
        data: The bytes of the file.

    Returns:
        The document; a page without text, such as a scan, has no section.

    Raises:
        FileFormatError: If the file is damaged or encrypted.
        MissingExtraError: If pypdf is not installed.
        LimitReachedError: If a stream unpacks to more data than pypdf accepts.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import LimitReachedError
    except ImportError as error:
        raise MissingExtraError("an index of PDF files needs pypdf: pip install 'rowspace[search]'") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports each oddity that it has repaired
    try:
        texts = [page.extract_text() for page in PdfReader(io.BytesIO(data)).pages]
    except (MemoryError, LimitReachedError):  # it may be valid
        raise
    except Exception as error:  # damaged files raise many kinds
        raise FileFormatError("damaged or encrypted PDF") from error
    pages = [text.encode(errors="replace").decode() for text in texts]  # without lone surrogates
    starts, sections, length = [], list[Section](), 0
    for page in pages:
        starts.append(length)
        if page.strip():
            sections.append(Section(length, length + len(page), ""))
        length += len(page) + 1
    numbers = range(1, len(pages) + 1)
    return Document("\n".join(pages), sections, is_prose=True, starts=starts or [0], lines=numbers if pages else [1])

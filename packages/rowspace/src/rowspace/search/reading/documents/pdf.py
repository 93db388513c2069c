"""PDF → a document with a section for each page, by pypdf."""

import io
import logging

from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.search.reading.documents.document import Document, Section

__all__ = ["read_pdf"]


def read_pdf(data: bytes) -> Document:
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

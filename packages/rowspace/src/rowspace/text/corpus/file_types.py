"""The type of a file that is not UTF-8 text, from its first bytes, and how to convert it to text."""

import json
import re
from typing import NamedTuple

from rowspace.files.wide_text import wide_encoding

__all__ = ["SNIFFED", "Unreadable", "first_record", "not_text"]

SNIFFED = 8192  # bytes; a file with NUL among them is binary


class Unreadable(NamedTuple):
    """The type of a file, and the next step."""

    what: str
    advice: str


_ICONV = "convert it: iconv -f {0} -t UTF-8 FILE > FILE.txt"
_SAVE_AS_TEXT = "save it as plain text first"
_OFFICE = re.compile(rb"\[Content_Types\]\.xml|mimetypeapplication/(?:vnd\.oasis|epub)")
_MAGIC = {
    b"7z\xbc\xaf\x27\x1c": Unreadable("a 7z archive", "unpack it: 7z x FILE"),
    b"Rar!\x1a\x07": Unreadable("a RAR archive", "unpack it: unrar x FILE"),
    b"%PDF-": Unreadable("a PDF", "extract its text: pdftotext FILE"),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": Unreadable("an Office document", _SAVE_AS_TEXT),
    b"{\\rtf": Unreadable("an RTF document", _SAVE_AS_TEXT),
    b"PAR1": Unreadable("a Parquet file", "write its column of text as JSON lines, and name the field"),
}


def not_text(start: bytes) -> Unreadable | None:
    """Return the type of a file with these first bytes; None for text.

    >>> not_text(b"%PDF-1.7")
    Unreadable(what='a PDF', advice='extract its text: pdftotext FILE')
    """
    if encoding := wide_encoding(start[:SNIFFED]):
        return Unreadable(f"{encoding} text, not UTF-8", _ICONV.format(encoding))
    for magic, found in _MAGIC.items():
        if start.startswith(magic):
            return found
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if _OFFICE.search(start[:SNIFFED]):
            return Unreadable("an Office document or an e-book", _SAVE_AS_TEXT)
        return Unreadable("a zip archive", "unpack it: unzip FILE")
    if start[257:262] == b"ustar":
        return Unreadable("a tar archive", "unpack it: tar -xf FILE")
    if b"\0" in start[:SNIFFED]:
        return Unreadable(f"a binary file (NUL in its first {SNIFFED} bytes)", "name a text file")
    return None


def first_record(start: bytes, lines: int) -> dict[str, object] | None:
    """Return the first record of a file that starts with `lines` JSON objects, one per line; otherwise None."""
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    records = [line for line in start.split(b"\n", lines)[:lines] if line.strip()]
    if not start.startswith(b"{") or len(records) < lines:
        return None
    try:
        values = [json.loads(record) for record in records]
    except (ValueError, RecursionError):
        return None
    return values[0] if all(isinstance(value, dict) for value in values) else None

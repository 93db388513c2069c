"""The type of a file that is not plain UTF-8 text, from its first bytes, and how to convert it or name its column."""

import csv
import json
import os
import re
from pathlib import Path
from typing import NamedTuple

from rowspace.files.foreign import wide_encoding
from rowspace.files.remote import without_options

__all__ = ["SNIFFED", "Records", "Unreadable", "csv_delimiter", "not_text", "records_in", "suffix_of"]

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
    b"PAR1": Unreadable("a Parquet file", "name its column of text, as in --column text (column='text' in Python)"),
}
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_WIKI = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<mediawiki\b")
_BOM = b"\xef\xbb\xbf"
_XML = re.compile(rb"\s*<\?xml\b")
_HTML_NAMES = (".html", ".htm", ".xhtml")
_ARRAY = re.compile(rb"\[\s*\{")
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
_LIKELY = ("text", "content", "body", "sentence", "review", "message", "title")  # names of columns of text


def not_text(start: bytes, name: str = "") -> Unreadable | None:
    """Return the type of a file with these first bytes; None for text.

    A file with a tag is HTML or XML if its name says so, or if it begins as HTML pages or XML documents do.

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
    page = start[:SNIFFED].removeprefix(_BOM)
    ending = suffix_of(name) if b"<" in page else ""
    if _HTML.match(page) or ending in _HTML_NAMES:
        return Unreadable("an HTML page", "extract its text first, for example: pandoc -t plain FILE -o FILE.txt")
    if _WIKI.match(page):
        return Unreadable("a dump of a wiki", "extract its text first, for example with the package wikiextractor")
    if _XML.match(page) or ending == ".xml":
        return Unreadable(
            "an XML document", "extract its text first, for example: xmllint --xpath 'string(/)' FILE > FILE.txt"
        )
    if b"\0" in start[:SNIFFED]:
        return Unreadable(f"a binary file (NUL in its first {SNIFFED} bytes)", "name a text file")
    return None


class Records(NamedTuple):
    """Records in a file.

    Attributes:
        kind: What they are, such as "JSON lines".
        first: What the columns were read from.
        columns: Their names.
        example: One that may have the text.
        otherwise: What to do to read the file as text, if it may be text.
    """

    kind: str
    first: str
    columns: list[str]
    example: str
    otherwise: str = ""


def records_in(name: str, start: bytes, *, named: bool) -> Records | None:
    r"""Return the records of a file with these first bytes: JSON lines, an array of JSON objects, CSV; None for text.

    Args:
        name: The path, which tells CSV from text.
        start: The first bytes.
        named: Whether the caller named the file; otherwise CSV, and a single line of JSON, are text.

    >>> records_in("a.csv", b"id,text\n1,one\n", named=True)[:4]
    ('CSV', 'its first line', ['id', 'text'], 'text')
    """
    start = start.removeprefix(_BOM).lstrip()
    delimiter = csv_delimiter(name) if named else None
    record = _first_of_lines(start, 1 if named else 2) or _first_of_array(start)
    if record is not None:
        texts = [key for key, value in record.items() if isinstance(value, str)]
        kind = "an array of JSON objects" if start.startswith(b"[") else "JSON lines"
        return Records(kind, "the first record", list(record), _example(texts))
    if delimiter is None or not start:
        return None
    columns = next(csv.reader([start.split(b"\n", 1)[0].decode(errors="replace")], delimiter=delimiter), [])
    return Records("CSV", "its first line", columns, _example(columns), "; to read its lines as texts, name it .txt")


def _example(columns: list[str]) -> str:
    """Return a column that may have the text."""
    likely = [column for column in columns if column.lower() in _LIKELY]
    return (likely or columns or ["text"])[0]


def csv_delimiter(name: str) -> str | None:
    r"""Return what separates the cells of a file with this name, compressed or not; None if it is not CSV.

    >>> csv_delimiter("data.tsv.gz"), csv_delimiter("data.txt")
    ('\t', None)
    """
    return {".csv": ",", ".tsv": "\t"}.get(suffix_of(name))


def suffix_of(name: str | os.PathLike[str]) -> str:
    """Return the ending of the name of a file, before that of its compression, in lowercase.

    >>> suffix_of("a/Data.CSV.gz"), suffix_of("s3://bucket/data.json?region=eu")
    ('.csv', '.json')
    """
    path = Path(without_options(os.fspath(name)))
    return (path.with_suffix("") if path.suffix.lower() in _COMPRESSED else path).suffix.lower()


def _first_of_lines(start: bytes, lines: int) -> dict[str, object] | None:
    """Return the first record of a file that starts with some JSON objects, one per line; otherwise None."""
    records = [line for line in start.split(b"\n", lines)[:lines] if line.strip()]
    if not start.startswith(b"{") or len(records) < lines:
        return None
    try:
        values = [json.loads(record) for record in records]
    except (ValueError, RecursionError):
        return None
    return values[0] if all(isinstance(value, dict) for value in values) else None


def _first_of_array(start: bytes) -> dict[str, object] | None:
    """Return the first record of a file that starts with an array of JSON objects; otherwise None."""
    if not _ARRAY.match(start):
        return None
    try:
        record, _ = json.JSONDecoder().raw_decode(start[start.index(b"{") :].decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None

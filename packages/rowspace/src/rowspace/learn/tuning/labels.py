"""Texts with labels, from a CSV file or a file of JSON lines."""

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rowspace.errors import FileFormatError
from rowspace.text.corpus.examples_file import JSON_NAMES, is_unicode, read_examples

__all__ = ["Labeled", "read_labeled"]

Labeled = tuple[str, str]
"""A text and its label."""


def read_labeled(path: str | os.PathLike[str]) -> list[Labeled]:
    r"""Read texts with labels; blank lines are left out.

    Args:
        path: UTF-8. JSON lines (the name ends in .jsonl, .ndjson or .json) are objects with "text" and "label"; any
            other file is CSV, or with a name in .tsv separated by tabs, whose first line names the columns text and
            label. Labels that are whole numbers or true and false become strings.

    Raises:
        UsageError: Nothing is at `path`.
        FileFormatError: A line has no text or label, or is damaged; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "reviews.csv")
    ...     _ = file.write_text('label,text\ngood,"short, and funny"\n')
    ...     read_labeled(file)
    [('short, and funny', 'good')]
    """
    suffix = Path(path).suffix.lower()
    content = read_examples(path, "a CSV file or JSON lines with text and label")
    read = _json_lines if suffix in JSON_NAMES else _csv
    found = []
    for number, text, label in read(content, str(path), "\t" if suffix == ".tsv" else ","):
        name = json.dumps(label) if isinstance(label, int) else label  # also true and false
        if not (isinstance(text, str) and isinstance(name, str) and name.strip()):
            raise _wrong(str(path), number, "the text or the label is missing or not text")
        if not (is_unicode(text) and is_unicode(name)):
            raise _wrong(str(path), number, "half a surrogate pair")
        found.append((text, name))
    return found


def _csv(content: str, path: str, delimiter: str) -> Iterable[tuple[int, object, object]]:
    """Return the number of a line, its text and its label, for each record."""
    limit = csv.field_size_limit(len(content) + 1)  # of this process
    try:
        return list(_records(content, path, delimiter))
    finally:
        csv.field_size_limit(limit)


def _records(content: str, path: str, delimiter: str) -> Iterator[tuple[int, object, object]]:
    lines = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    header, start = list[str](), 1
    try:
        for row in lines:
            if start == 1:
                header = _header(row, path)
            elif len(row) > len(header):
                cells = f"{len(row)} cells for {len(header)} columns"
                raise _wrong(path, start, f"{cells}; put quotes around a text with {delimiter!r}")
            elif row:
                cells_of = dict(zip(header, row, strict=False))
                yield lines.line_num, cells_of.get("text"), cells_of.get("label")
            start = lines.line_num + 1
    except csv.Error as error:
        reason = "a quote that is not closed" if "end of data" in str(error) else str(error)
        raise _wrong(path, start, reason) from None
    if not header:
        _header([], path)


def _header(names: list[str], path: str) -> list[str]:
    header = [name.strip().lower() for name in names]
    if header.count("text") != 1 or header.count("label") != 1:
        raise _wrong(path, 1, f"the header must name the columns text and label, and is {','.join(header)[:80]!r}")
    return header


def _json_lines(content: str, path: str, _: str) -> Iterator[tuple[int, object, object]]:
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise _wrong(path, number, "not a JSON object")
        yield number, found.get("text"), found.get("label")


def _wrong(path: str, number: int, reason: str) -> FileFormatError:
    return FileFormatError(f"{path}: line {number}: {reason}; expected a text and a label")

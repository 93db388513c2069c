"""Texts with labels, from a CSV file or a file of JSON lines."""

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.open_folder import open_regular

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
        FileFormatError: A line has no text or label; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "reviews.csv")
    ...     _ = file.write_text('label,text\ngood,"short, and funny"\n')
    ...     read_labeled(file)
    [('short, and funny', 'good')]
    """
    source = Path(path)
    if not source.exists():
        raise UsageError(f"there is no file {str(path)!r}; give a CSV file or JSON lines with text and label")
    with open_regular(source) as file:
        data = file.read()
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{path}: line {line}: not valid UTF-8; convert the file to UTF-8") from None
    suffix = source.suffix.lower()
    read = _json_lines if suffix in (".jsonl", ".ndjson", ".json") else _csv
    found = []
    for number, text, label in read(content, str(path), "\t" if suffix == ".tsv" else ","):
        name = json.dumps(label) if isinstance(label, int) else label  # also true and false
        if not (isinstance(text, str) and isinstance(name, str) and name.strip()):
            raise _wrong(str(path), number, "the text or the label is missing or not text")
        found.append((text, name))
    return found


def _csv(content: str, path: str, delimiter: str) -> Iterator[tuple[int, object, object]]:
    """Yield the number of a line, its text and its label."""
    lines = csv.reader(io.StringIO(content), delimiter=delimiter)
    header = [name.strip().lower() for name in next(lines, [])]
    if not {"text", "label"} <= set(header):
        raise _wrong(path, 1, f"the header must name the columns text and label, and is {','.join(header)[:80]!r}")
    text, label = header.index("text"), header.index("label")
    try:
        for row in lines:
            if row:
                cells = dict(enumerate(row))
                yield lines.line_num, cells.get(text), cells.get(label)
    except csv.Error as error:
        raise _wrong(path, lines.line_num, str(error)) from None


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

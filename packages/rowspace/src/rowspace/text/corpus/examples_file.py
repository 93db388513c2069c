"""The text of a file of examples: pairs, texts with labels, or queries with their answers."""

import os
import sys
from pathlib import Path

from rowspace.errors import FileFormatError, UsageError, missing_file
from rowspace.files.open_folder import open_regular
from rowspace.text.corpus.file_types import SNIFFED, not_text
from rowspace.text.corpus.reading import STANDARD_INPUT

__all__ = ["JSON_NAMES", "is_unicode", "read_examples"]

JSON_NAMES = (".jsonl", ".ndjson", ".json")
COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def read_examples(path: str | os.PathLike[str], expected: str) -> str:
    r"""Return the text of a file; without "\n", each "\r" ends a line.

    Args:
        path: A file in UTF-8, or '-' for standard input.
        expected: What it should be, for messages.

    Raises:
        UsageError: No regular file is at `path`.
        FileFormatError: It is not text in UTF-8.
    """
    data = _bytes(path, expected)
    kind = _kind(data)
    if kind is not None:
        raise FileFormatError(f"{path}: {kind}; convert it to {expected} in UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{path}: line {line}: not valid UTF-8; convert the file to UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFormatError(f"{path}: line {line}: NUL, which no text has; repair the line or remove it")
    return text if "\n" in text else text.replace("\r", "\n")


def _bytes(path: str | os.PathLike[str], expected: str) -> bytes:
    if os.fspath(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise UsageError(f"standard input is closed; pipe {expected} into it, or name a file")
        return sys.stdin.buffer.read()
    if not os.path.isfile(path):  # noqa: PTH113  # Path.is_file raises for long names
        raise missing_file(path, f"give {expected}")
    with open_regular(Path(path)) as file:
        return file.read()


def is_unicode(text: str) -> bool:
    """Whether a text has no lone surrogate, which JSON may have."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(data: bytes) -> str | None:
    """Return the kind of a file that is not text in UTF-8."""
    for magic, name in COMPRESSED.items():
        if data.startswith(magic):
            return f"a file compressed with {name}"
    found = not_text(data[:SNIFFED])
    return None if found is None else found.what

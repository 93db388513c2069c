"""Pairs of texts, a query and its positive, from a file of JSON lines or of two columns with a tab between them."""

import json
import os
from pathlib import Path

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.open_folder import open_regular

__all__ = ["Pair", "read_pairs"]

Pair = tuple[str, str]
NAMES = (("query", "positive"), ("anchor", "positive"))


def read_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """Read the pairs of a file; blank lines are left out.

    Args:
        path: UTF-8. A line that begins with `{` or `[` is an object with "query" (or "anchor") and "positive", or a
            list of two texts; any other line has two texts with a tab between them.

    Raises:
        UsageError: Nothing is at `path`.
        FileFormatError: A line is not a pair; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pairs.jsonl")
    ...     _ = file.write_text('{"query": "a cat", "positive": "it says meow"}')
    ...     read_pairs(file)
    [('a cat', 'it says meow')]
    """
    source = Path(path)
    if not source.exists():
        raise UsageError(f"there is no file {str(path)!r}; name a file of pairs")
    with open_regular(source) as file:
        lines = file.read().split(b"\n")
    pairs = []
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r ")
            if text.strip():
                pairs.append(_pair(text))
        except (ValueError, RecursionError) as error:
            reason = "not valid UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            raise FileFormatError(f"{path}: line {number}: {reason}; repair the line or remove it") from None
    return pairs


def _pair(text: str) -> Pair:
    """Return the pair of a line; raises `ValueError` with the reason."""
    if text.startswith(("{", "[")):
        try:
            found = json.loads(text)
        except ValueError:
            raise ValueError("not valid JSON") from None
        texts = _values(found) if isinstance(found, dict) else found
    else:
        texts = text.split("\t")
    if len(texts) != 2:
        raise ValueError(f"expected two texts, got {len(texts)}")
    query, positive = texts
    if not (isinstance(query, str) and query.strip() and isinstance(positive, str) and positive.strip()):
        raise ValueError("a text of the pair is empty or not text")
    return query, positive


def _values(found: dict[str, object]) -> list[object]:
    for names in NAMES:
        if all(name in found for name in names):
            return [found[name] for name in names]
    raise ValueError('expected the names "query" and "positive"')

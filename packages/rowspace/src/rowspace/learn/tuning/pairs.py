"""Pairs of texts, a query and its positive, from a file of JSON lines or of two columns with a tab between them."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from rowspace.errors import FileFormatError
from rowspace.text.corpus.examples_file import JSON_NAMES, is_unicode, read_examples
from rowspace.text.corpus.file_types import suffix_of
from rowspace.text.corpus.record_columns import place_of, text_in
from rowspace.text.corpus.records import read_records

__all__ = ["Pair", "read_pairs"]

Pair = tuple[str, str]
NAMES = (("query", "positive"), ("anchor", "positive"))
MAX_RECORD = 100_000_000  # bytes
TAB_NAMES = (".tsv", ".tab")
RECORD_NAMES = (".csv", ".parquet")


def read_pairs(
    path: str | os.PathLike[str], *, query_column: str | None = None, positive_column: str | None = None
) -> list[Pair]:
    """Read the pairs of a file; blank lines are left out.

    Args:
        path: UTF-8. A JSON line is an object with "query" (or "anchor") and "positive", or a list of two texts; any
            other line has two texts with a tab between them. A name in .jsonl, .ndjson or .json has JSON lines only,
            one in .tsv or .tab none; in other files, a line that begins with `{` or `[` is JSON. A name in .csv or
            .parquet has records.
        query_column: The column of queries, by default "query"; if given, the file has records (CSV, TSV, JSON lines
            or arrays, Parquet).
        positive_column: The column of their texts, by default "positive"; if given, the file has records.

    Raises:
        UsageError: Nothing is at `path`, or there is no such column.
        FileFormatError: A line is not a pair; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "pairs.jsonl")
    ...     _ = file.write_text('{"query": "a cat", "positive": "it says meow"}')
    ...     read_pairs(file)
    [('a cat', 'it says meow')]
    """
    suffix = suffix_of(path)
    if query_column is not None or positive_column is not None or suffix in RECORD_NAMES:
        query = NAMES[0][0] if query_column is None else query_column
        positive = NAMES[0][1] if positive_column is None else positive_column
        return _of_records(Path(path), query, positive)
    content = read_examples(path, "JSON lines, or lines of two texts with a tab between them,")
    pairs = []
    for number, line in enumerate(content.split("\n"), 1):
        text = line.strip("\r ")
        if not text.strip():
            continue
        try:
            pairs.append(_pair(text, suffix))
        except ValueError as error:
            raise FileFormatError(f"{path}: line {number}: {error}; repair the line or remove it") from None
    return pairs


def _of_records(path: Path, query: str, positive: str) -> list[Pair]:
    """Return the pairs in two columns of records."""
    pairs = []
    columns = {"query_column": query, "positive_column": positive}
    for line, values in read_records(path, limit=MAX_RECORD, columns=columns):
        place = place_of(path, line)
        pair = text_in(place, values, query), text_in(place, values, positive)
        try:
            pairs.append(_checked(pair))
        except ValueError as error:
            raise FileFormatError(f"{place}: {error}; repair the record or remove it") from None
    return pairs


def _pair(text: str, suffix: str) -> Pair:
    """Return the pair of a line; raises `ValueError` with the reason."""
    texts: Sequence[object]
    if suffix in JSON_NAMES or (suffix not in TAB_NAMES and text.startswith(("{", "["))):
        texts = _json_values(text, "" if suffix in JSON_NAMES else ", as its first character says; text needs .tsv")
    else:
        texts = text.split("\t")
    return _checked(texts)


def _checked(texts: Sequence[object]) -> Pair:
    """Return a pair; raises `ValueError` with the reason."""
    if len(texts) != 2:
        raise ValueError(f"expected two texts, got {len(texts)}")
    query, positive = texts
    for each in texts:
        if not isinstance(each, str) or not each.strip():
            raise ValueError("a text of the pair is empty or not text")
        if not is_unicode(each):
            raise ValueError("a text of the pair has half a surrogate pair")
    return str(query), str(positive)


def _json_values(text: str, hint: str) -> list[object]:
    """Return the values of a line of JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"not valid JSON{hint}") from None
    if isinstance(found, list):
        return found
    for names in NAMES:
        if isinstance(found, dict) and all(name in found for name in names):
            return [found[name] for name in names]
    raise ValueError('expected the names "query" and "positive"')

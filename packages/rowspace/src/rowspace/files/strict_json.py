"""Strict JSON for files that may be damaged or malicious: one object, or one error with the file and the position.

Python's `json` keeps the last of two equal keys, guesses encodings, and raises `RecursionError` for deep nesting; here
each of these is a `FileFormatError`.
"""

import json
import math
import os
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rowspace.errors import FileFormatError
from rowspace.files.open_folder import open_regular

__all__ = ["SEAL", "finite", "is_count", "parse_object", "read_object", "sealed", "unsealed"]

MAX_SIZE = 1 << 28  # bytes: the indexes of the largest models have about 10 MB
REMEDY = "restore the file from a copy"
SEAL = "checksum"
"""The key of a document's checksum."""


def read_object(path: Path, *, remedy: str = REMEDY) -> dict[str, Any]:
    """Read the JSON object in the file `path`.

    Args:
        path: A regular file of UTF-8 text.
        remedy: The end of the error message, which says what to do about a damaged file.

    Raises:
        FileFormatError: The file is missing, larger than `MAX_SIZE`, or does not hold exactly one JSON object.
        RowspaceError: The file cannot be read.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_SIZE:
            raise FileFormatError(f"{path}: has {size:,} bytes, more than the {MAX_SIZE:,} that are allowed; {remedy}")
        return parse_object(file.read(size), str(path), remedy=remedy)


def parse_object(data: bytes, source: str, *, offset: int = 0, remedy: str = REMEDY) -> dict[str, Any]:
    """Parse the UTF-8 JSON object in `data`.

    Args:
        data: The text, which begins at byte `offset` of the file `source`.
        source: The name of the file in errors.
        offset: Added to the position in errors.
        remedy: The end of the error message, which says what to do about a damaged file.

    Raises:
        FileFormatError: `data` is anything but one JSON object with distinct keys; the message names the byte.

    >>> parse_object(b'{"a": 1, "a": 2}', "x.json")
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: x.json: the key 'a' is duplicated in one JSON object; restore the file from a copy
    """

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        document = dict(pairs)
        if len(document) < len(pairs):
            raise FileFormatError(
                f"{source}: the key {_first_duplicate(pairs)!r:.80} is duplicated in one JSON object; {remedy}"
            )
        return document

    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=distinct)
    except UnicodeDecodeError as error:
        place, what = error.start, "not valid UTF-8"
    except json.JSONDecodeError as error:
        place, what = len(error.doc[: error.pos].encode()), f"not valid JSON ({error.msg})"
    except FileFormatError:
        raise
    except (ValueError, RecursionError):  # a number of thousands of digits; nesting thousands deep
        place, what = 0, "JSON with too large a number, or nested too deeply"
    else:
        if isinstance(document, dict):
            return document
        place, what = 0, "JSON, but not an object"
    raise FileFormatError(f"{source}: byte {offset + place}: {what}; {remedy}")


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the checksum of its content, so that a changed value is noticed.

    Args:
        document: Plain values; the keys of all objects are strings.

    >>> unsealed(sealed({"version": 1}), "x.json")
    {'version': 1}
    """
    return {**document, SEAL: _checksum(document)}


def unsealed(document: Mapping[str, Any], source: str, *, remedy: str = REMEDY) -> dict[str, Any]:
    """Return a document without its checksum.

    Args:
        document: What `sealed` returned, after it was written and read.
        source: The name of the file in errors.
        remedy: The end of the error message, which says what to do about a damaged file.

    Raises:
        FileFormatError: The checksum is missing or differs.

    >>> unsealed(sealed({"version": 1}) | {"version": 2}, "x.json")
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: x.json: is damaged (its checksum differs); restore the file from a copy
    """
    content = dict(document)
    if content.pop(SEAL, None) != _checksum(content):
        raise FileFormatError(f"{source}: is damaged (its checksum differs); {remedy}")
    return content


def _checksum(document: Mapping[str, Any]) -> int:
    """Return the CRC-32 of the values, however the file is written."""
    return zlib.crc32(json.dumps(document, sort_keys=True).encode())


def is_count(value: object) -> bool:
    """Whether `value` is a whole number from 0 to 2^63 - 1, and not a bool.

    >>> [is_count(value) for value in (0, 7, -1, 2**63, 1.0, True)]
    [True, True, False, False, False, False]
    """
    return type(value) is int and 0 <= value < 2**63


def finite(value: object) -> object:
    """Return a value with None for numbers that JSON does not have.

    >>> finite({"a": [1.5, float("nan"), float("inf")]})
    {'a': [1.5, None, None]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _first_duplicate(pairs: list[tuple[str, Any]]) -> str:
    counts = Counter(key for key, _ in pairs)
    return next(key for key, count in counts.items() if count > 1)

"""Strict JSON for files that may be damaged or lie: one error kind, with the file and the place.

Python's own reader takes the last of two equal keys, guesses encodings, and ends in `RecursionError` on
deep nests; here each of those is a `FileFormatError`. Left out: what the documents mean. Read next:
`headers.py`, `manifest.py`.
"""

import json

from rowspace.errors import FileFormatError

__all__ = ["is_count", "parse_object"]


def parse_object(data: bytes, source: str, *, offset: int = 0) -> dict[str, object]:
    """Read the UTF-8 JSON object in `data`, which begins at byte `offset` of the file `source`.

    Raises `FileFormatError` with the byte where reading failed.

    >>> parse_object(b'{"a": 1, "a": 2}', "x.json")
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: x.json: the key 'a' is duplicated in one JSON object; restore the file
    """
    try:
        document = json.loads(data.decode("utf-8"), object_pairs_hook=lambda pairs: _distinct(pairs, source))
    except UnicodeDecodeError as error:
        raise _damaged(source, offset + error.start, "not valid UTF-8") from None
    except json.JSONDecodeError as error:
        place = offset + len(error.doc[: error.pos].encode())
        raise _damaged(source, place, f"no JSON ({error.msg})") from None
    except FileFormatError:
        raise
    except (ValueError, RecursionError):  # a number of thousands of digits; nesting thousands deep
        raise _damaged(source, offset, "JSON of an absurd size or depth") from None
    if not isinstance(document, dict):
        raise _damaged(source, offset, "JSON, but no object")
    return document


def is_count(value: object) -> bool:
    """Whether `value` is a whole number from 0 to 2^63 - 1; `True` is none.

    >>> [is_count(value) for value in (0, 7, -1, 2**63, 1.0, True)]
    [True, True, False, False, False, False]
    """
    return type(value) is int and 0 <= value < 2**63


def _distinct(pairs: list[tuple[str, object]], source: str) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise FileFormatError(f"{source}: the key {twice!r} is duplicated in one JSON object; restore the file")
    return document


def _damaged(source: str, place: int, what: str) -> FileFormatError:
    return FileFormatError(f"{source}: byte {place}: {what}; the file is damaged, restore it from a copy")

"""A JSON array in chunks of text → its items, one at a time."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

__all__ = ["ArrayError", "array_items"]

_FIRST, _NEXT = re.compile(r"\s*\[\s*(?=[^\s\]])"), re.compile(r"\s*,\s*(?=\S)")
_EMPTY, _END = re.compile(r"\s*\[\s*\]\s*"), re.compile(r"\s*\]\s*")


class ArrayError(ValueError):
    """The text is not a JSON array, or an item is too long.

    Args:
        line: The line on which the item begins, from 1.
        is_too_long: Whether it is too long.
        is_object: Whether the text begins as an object, not as an array.
    """

    def __init__(self, line: int, *, is_too_long: bool = False, is_object: bool = False) -> None:
        super().__init__(line)
        self.line, self.is_too_long, self.is_object = line, is_too_long, is_object


def array_items(chunks: Iterable[str], *, limit: int) -> Iterator[tuple[int, Any]]:
    r"""Yield the line on which each item of an array begins, from 1, and the item.

    Args:
        chunks: The text of the array; an empty chunk is not its end.
        limit: Maximum characters of an item.

    Raises:
        ArrayError: See there.

    >>> list(array_items(['[{"a": 1},\n', ' {"a": 2}]'], limit=100))
    [(1, {'a': 1}), (2, {'a': 2})]
    """
    decoder, separator = json.JSONDecoder(), _FIRST
    text, line, wanted = "", 1, 0
    for chunk in chain(filter(None, chunks), [""]):
        text += chunk
        if chunk and len(text) < wanted:
            continue  # an item is decoded again only when there is twice as much of it
        place = 0
        while found := separator.match(text, place):
            begins = line + text.count("\n", place, found.end())
            try:
                item, end = decoder.raw_decode(text, found.end())
            except ValueError:
                if len(text) - found.end() > limit:
                    raise ArrayError(begins, is_too_long=True) from None
                break
            except RecursionError:
                raise ArrayError(begins) from None
            yield begins, item
            line, place, separator = begins + text.count("\n", found.end(), end), end, _NEXT
        text = text[place:]
        wanted = 2 * len(text)
    if not (_EMPTY if separator is _FIRST else _END).fullmatch(text):
        begins = line + text.count("\n", 0, len(text) - len(text.lstrip()))
        raise ArrayError(begins, is_object=separator is _FIRST and text.lstrip().startswith("{"))

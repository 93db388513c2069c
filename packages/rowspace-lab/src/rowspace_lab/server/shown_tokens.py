"""What is shown of the tokens of byte-level tables: replies name it, and requests may have it in place of a token."""

from collections.abc import Iterator, Mapping
from typing import Any

from rowspace.table import Table
from rowspace_lab.server.query import Query

__all__ = ["shown_tokens", "with_tokens"]

NAMES = ("word", "a", "b", "c", "expected", "query", "key")
"""The parameters that are tokens of the table."""


def shown_tokens(table: Table, fields: Mapping[str, Any]) -> dict[str, str]:
    """Return what is shown of the tokens among the strings of a reply, where it differs from the token.

    >>> import numpy as np
    >>> table = Table(["Ġking", "cat"], np.eye(2), tokenizer='{"decoder": {"type": "ByteLevel"}}')
    >>> shown_tokens(table, {"words": ["cat", "Ġking"]})
    {'Ġking': '␣king'}
    """
    if not table.is_byte_level:
        return {}
    found = {text: table.shown(text) for text in _strings(fields) if text in table}
    return {token: text for token, text in found.items() if text != token}


def with_tokens(table: Table, query: Query) -> Query:
    """Return a request in which the token stands for what is shown of it, such as `Ġking` for `␣king` and ` king`."""
    return query.replaced(NAMES, lambda text: table.find_shown(text) or text) if table.is_byte_level else query


def _strings(value: object) -> Iterator[str]:
    """Yield the strings of JSON values at any depth, without the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)

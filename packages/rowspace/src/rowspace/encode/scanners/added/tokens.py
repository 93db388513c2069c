"""The added tokens of a tokenizer.json → those that a scanner finds, and strings that show there may be another."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import as_array

__all__ = ["AddedTokens", "added_tokens", "same_content"]

MAX_TOKEN = 2**12  # bytes, well below what a record has room for, as normalization may make a token longer
MAX_ID = 2**31 - 2


class AddedTokens(NamedTuple):
    """The added tokens of a tokenizer.

    The library finds added tokens before all else, the leftmost first and of those the longest, and treats the text
    between them as separate texts.

    Attributes:
        found: Content and id of tokens that are in a text exactly where their content is.
        left: A text with one of these strings may hold another added token, and is left to the library.
    """

    found: tuple[tuple[str, int], ...]
    left: tuple[str, ...]

    def packed(self) -> NDArray[np.uint8]:
        """Return what kernels read: uint8 (n,), described in kernels.py."""
        from rowspace.encode.scanners.added.kernels import FIRST, HEADS, ID_BYTES, LENGTH_BYTES, PAIRS, TO_LIBRARY

        entries = {content.encode(): TO_LIBRARY for content in self.left}
        entries = {content.encode(): number for content, number in self.found} | entries
        marks = np.zeros(HEADS, np.uint8)
        for string in entries:
            marks[FIRST + string[0]] = 1
            pairs = marks[PAIRS + 256 * string[0] :][:256]
            pairs[slice(None) if len(string) == 1 else string[1]] = 1
        heads = np.flatnonzero(marks[FIRST : FIRST + 256]).astype(np.uint8)
        records = [
            len(string).to_bytes(LENGTH_BYTES, "little") + number.to_bytes(ID_BYTES, "little") + string
            for string, number in entries.items()
        ]
        return as_array(
            b"".join([marks.tobytes(), heads.size.to_bytes(LENGTH_BYTES, "little"), heads.tobytes(), *records])
        )


def same_content(content: str) -> list[str]:
    """Return the content of a token, where normalization changes no text that is scanned."""
    return [content]


def added_tokens(
    tokens: Iterable[Mapping[str, Any]] | None,
    parts: Callable[[str], Iterable[str]] = same_content,
    *,
    is_normalized: bool = True,
) -> AddedTokens | None:
    """Return the added tokens of a tokenizer.json.

    Args:
        tokens: The tokens, as the file has them.
        parts: The content of a token that is looked for in normalized text → strings, one of which at least is in every
            text that holds it and that is scanned.
        is_normalized: Whether the tokenizer has a normalizer. Without one all tokens are looked for in the same text,
            but those that are not to be normalized first.

    Returns:
        The tokens, or None if no string shows whether a text holds one of them, or if one is very long.

    >>> added_tokens([{"id": 7, "content": "[MASK]", "normalized": False, "lstrip": True}])
    AddedTokens(found=(), left=('[MASK]',))
    """
    listed = [token for token in tokens or () if token["content"]]
    if any(len(token["content"].encode()) > MAX_TOKEN or token["id"] > MAX_ID for token in listed):
        return None
    uses = Counter(token["id"] for token in listed)
    two_searches = is_normalized or not all(token["normalized"] for token in listed)
    found, left = [], []
    for token in listed:
        content = token["content"]
        if not (token["normalized"] and two_searches) and uses[token["id"]] == 1 and not _has_conditions(token):
            found.append((content, token["id"]))
            continue
        strings = [*parts(content)] if token["normalized"] else [content]
        if not all(strings) or not strings:
            return None
        left += strings
    return AddedTokens(tuple(sorted(found)), tuple(sorted(set(left))))


def _has_conditions(token: Mapping[str, Any]) -> bool:
    """Return whether a token depends on what is next to it."""
    return any(token.get(name, False) for name in ("single_word", "lstrip", "rstrip"))

"""Which words show that a text may have an added token, such as `[MASK]`.

The library finds added tokens before it splits words. A text has one only if it has the words of the token: the first
may be the end of a longer word, and the last may be the start of one. The scanner looks for one word of each token, and
only when it meets a word for the first time; the token itself is looked for only in texts with such a word.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.cache import MAX_WORD
from rowspace.text.characters import as_array

__all__ = ["MAX_SUSPECTS", "NORMALIZED", "WORD_END", "WORD_START", "word_records"]

MAX_SUSPECTS = 4096  # added tokens; each is compared with every new word

# The kinds of records, as flags: with both of `WORD_START` and `WORD_END` a whole word, with one a word that starts or
# ends so, with none a part. `NORMALIZED`: the token is looked for in the normalized text, so that a text with the word
# is left to the library.
WORD_START, WORD_END, NORMALIZED = 1, 2, 4


def word_records(tokens: Iterable[Mapping[str, Any]], split: Callable[[str], list[str]]) -> NDArray[np.uint8] | None:
    r"""Return a record of a word of each added token: its kind, its length in two bytes, and its bytes.

    Args:
        tokens: Added tokens, as a tokenizer.json has them.
        split: A text → its words.

    Returns:
        uint8 (n,), or None if the words of a text do not show whether it has one of the tokens.

    >>> word_records([{"content": "[MASK]", "normalized": False}], lambda text: ["[", "mask", "]"]).tobytes()
    b'\x03\x04\x00mask'
    """
    contents = {(token["content"], bool(token["normalized"])) for token in tokens if token["content"]}
    if len(contents) > MAX_SUSPECTS:
        return None
    records = []
    for content, normalized in sorted(contents):
        words = split(content)
        if not words or len(content.encode()) >= MAX_WORD:
            return None
        kind, word = _telling(words)
        records.append(_record(kind | NORMALIZED if normalized else kind, word.encode()))
    return as_array(b"".join(records)).copy()  # writable, as after unpickling: one type for Numba


def _telling(words: list[str]) -> tuple[int, str]:
    """Return the kind and the word to look for: the longest between the first and the last, if there is one."""
    if len(words) == 1:
        return 0, words[0]
    choices = [(WORD_START | WORD_END, word) for word in words[1:-1]]
    return max(choices or [(WORD_END, words[0]), (WORD_START, words[-1])], key=lambda choice: len(choice[1]))


def _record(kind: int, data: bytes) -> bytes:
    return bytes([kind]) + len(data).to_bytes(2, "little") + data

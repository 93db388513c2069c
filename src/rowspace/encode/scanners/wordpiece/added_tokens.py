"""Added tokens, such as `[MASK]`: which words show that a text may have one.

The library finds added tokens before it splits words, so a text that has one is left to it. A text has one only if it
has the words of the token: the first may be the end of a longer word, and the last may be the start of one. The scanner
looks for one word of each token, and only when it meets a word for the first time.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.cache import LONGEST
from rowspace.text.characters import as_array

__all__ = ["LITERAL", "LONGEST_LIST", "NORMALIZED", "WORD_END", "WORD_START", "added_records"]

LONGEST_LIST = 4096  # the most added tokens; each is compared with every new word

# The kinds of records, as flags. A literal is the token itself, to be looked for in the text. The others are words:
# with both of `WORD_START` and `WORD_END` a whole word, with one a word that starts or ends so, with none a part.
# `NORMALIZED`: the token is looked for in the normalized text, so that the text is left without looking for a literal.
WORD_START, WORD_END, LITERAL, NORMALIZED = 1, 2, 4, 8


def added_records(tokens: Iterable[Mapping[str, Any]], split: Callable[[str], list[str]]) -> NDArray[np.uint8] | None:
    r"""Return records of added tokens: for each its kind, its length in two bytes, and its bytes.

    Args:
        tokens: Added tokens, as a tokenizer.json has them.
        split: A text → its words.

    Returns:
        uint8 (n,), or None if the words of a text do not show whether it has one of the tokens.

    >>> added_records([{"content": "[MASK]", "normalized": False}], lambda text: ["[", "mask", "]"]).tobytes()
    b'\x04\x06\x00[MASK]\x03\x04\x00mask'
    """
    contents = {(token["content"], bool(token["normalized"])) for token in tokens if token["content"]}
    if len(contents) > LONGEST_LIST:
        return None
    records = []
    for content, normalized in sorted(contents):
        words = split(content)
        literal = content.encode()
        if not words or len(literal) >= LONGEST:
            return None
        if not normalized:
            records.append(_record(LITERAL, literal))
        kind, word = _telling(words)
        records.append(_record(kind | NORMALIZED if normalized else kind, word.encode()))
    return as_array(b"".join(records))


def _telling(words: list[str]) -> tuple[int, str]:
    """Return the kind and the word to look for: the longest between the first and the last, if there is one."""
    if len(words) == 1:
        return 0, words[0]
    choices = [(WORD_START | WORD_END, word) for word in words[1:-1]]
    return max(choices or [(WORD_END, words[0]), (WORD_START, words[-1])], key=lambda choice: len(choice[1]))


def _record(kind: int, data: bytes) -> bytes:
    return bytes([kind]) + len(data).to_bytes(2, "little") + data

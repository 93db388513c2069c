"""Tokens laid over the words and characters of a text: how many words lie in one token, what lies in none.

All on arrays: a text is its code points, words and tokens are pairs of positions in it. Left out: how a corpus becomes
texts and tokens (coverage.py).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import character_table
from rowspace.text.characters.table import CODE_POINTS, JOINER, WORD

__all__ = ["measure_text"]


def measure_text(text: str, offsets: NDArray[np.int64], unknown: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the sums of one text: int64 (8,).

    They are: bytes, characters, words, tokens that words lie in, words in one known token; then, without white space,
    characters, those in unknown tokens, those in no token. `offsets`: (tokens, 2) int64, where in the text each token
    begins and ends, in characters; `unknown`: (tokens,), which tokens are unknown.

    >>> measure_text("a b!", np.array([[0, 1], [2, 3]]), np.array([False, True])).tolist()
    [4, 4, 2, 2, 1, 3, 1, 1]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    starts, ends = _words(codes)
    pieces, strange = _times(offsets, starts, ends), _times(offsets[unknown], starts, ends)
    visible = ~_white_space()[codes]
    in_token = _inside(offsets, len(codes))
    in_unknown = _inside(offsets[unknown], len(codes))
    return np.array(
        [
            len(text.encode()),
            len(codes),
            len(starts),
            pieces.sum(),
            np.count_nonzero((pieces == 1) & (strange == 0)),
            np.count_nonzero(visible),
            np.count_nonzero(visible & in_unknown),
            np.count_nonzero(visible & ~in_token),
        ],
        np.int64,
    )


def _words(codes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the words of a text begin and end: what `WORD_PATTERN` matches."""
    classes = character_table(cased=True)[codes]
    inside = np.zeros(len(codes) + 2, np.bool_)
    inside[1:-1] = classes >= WORD
    inside[1:-1] |= (classes == JOINER) & inside[:-2] & inside[2:]
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2], edges[1::2]


def _times(offsets: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each word, how many tokens hold some of it."""
    offsets = offsets[offsets[:, 0] < offsets[:, 1]]
    first = np.searchsorted(ends, offsets[:, 0], "right")
    behind = np.searchsorted(starts, offsets[:, 1], "left")  # the word after the last that a token reaches into
    size = len(starts) + 1
    change = np.bincount(first[first < behind], minlength=size) - np.bincount(behind[first < behind], minlength=size)
    return np.cumsum(change)[:-1]


def _inside(offsets: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Say of each character of a text whether it lies in one of these tokens."""
    change = np.bincount(offsets[:, 0], minlength=size + 1) - np.bincount(offsets[:, 1], minlength=size + 1)
    return np.cumsum(change)[:-1] > 0


@cache
def _white_space() -> NDArray[np.bool_]:
    """Say of each code point whether it is white space."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[code for code in range(0x3001) if chr(code).isspace()]] = True
    return table

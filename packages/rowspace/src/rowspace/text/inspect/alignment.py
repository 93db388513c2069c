"""The tokens of a text aligned with its words and characters: words in a single token, text in no token.

Computed on arrays: a text is its code points, words and tokens are pairs of positions.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import character_table
from rowspace.text.characters.table import CODE_POINTS, HEBREW_QUOTE, JOINER, WORD

__all__ = ["Alignment", "align_text"]


class Alignment(NamedTuple):
    """Sums over a text; the last three count characters other than white space."""

    bytes: int
    all_characters: int
    words: int
    word_pieces: int  # tokens that overlap a word, summed over all words
    words_in_one_piece: int  # words within one known token
    characters: int
    unknown_characters: int  # in an unknown token
    dropped_characters: int  # in no token


def align_text(text: str, offsets: NDArray[np.int64], unknown: NDArray[np.bool_]) -> Alignment:
    """Align the tokens of a text with its words and characters.

    Args:
        text: The text.
        offsets: The characters at which each token begins and ends: (tokens, 2) int64.
        unknown: Which tokens are unknown: (tokens,).

    >>> tuple(align_text("a b!", np.array([[0, 1], [2, 3]]), np.array([False, True])))
    (4, 4, 2, 2, 1, 3, 1, 1)
    """
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    starts, ends = _words(codes)
    pieces, unknown_pieces = _tokens_in_words(offsets, starts, ends), _tokens_in_words(offsets[unknown], starts, ends)
    visible = ~_white_space()[codes]
    in_token = _inside(offsets, len(codes))
    in_unknown = _inside(offsets[unknown], len(codes))
    return Alignment(
        bytes=len(text.encode()),
        all_characters=len(codes),
        words=len(starts),
        word_pieces=int(pieces.sum()),
        words_in_one_piece=int(np.count_nonzero((pieces == 1) & (unknown_pieces == 0))),
        characters=int(np.count_nonzero(visible)),
        unknown_characters=int(np.count_nonzero(visible & in_unknown)),
        dropped_characters=int(np.count_nonzero(visible & ~in_token)),
    )


def _words(codes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the words of a text begin and end: what `WORD_PATTERN` matches, but emoji."""
    classes = character_table(cased=True)[codes]
    inside = np.zeros(len(codes) + 2, np.bool_)
    inside[1:-1] = classes >= WORD
    hebrew = np.zeros(len(codes) + 2, np.bool_)
    hebrew[1:-1] = (codes >= 0x5D0) & (codes <= 0x5EA)
    quotes = (classes == HEBREW_QUOTE) & hebrew[:-2] & hebrew[2:]
    inside[1:-1] |= ((classes == JOINER) & inside[:-2] & inside[2:]) | quotes
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2], edges[1::2]


def _tokens_in_words(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each word, how many tokens overlap it."""
    offsets = offsets[offsets[:, 0] < offsets[:, 1]]
    first = np.searchsorted(ends, offsets[:, 0], "right")
    behind = np.searchsorted(starts, offsets[:, 1], "left")  # the word after the last that a token overlaps
    size = len(starts) + 1
    change = np.bincount(first[first < behind], minlength=size) - np.bincount(behind[first < behind], minlength=size)
    return np.cumsum(change)[:-1]


def _inside(offsets: NDArray[np.int64], size: int) -> NDArray[np.bool_]:
    """Return for each character of a text whether it is in one of these tokens."""
    change = np.bincount(offsets[:, 0], minlength=size + 1) - np.bincount(offsets[:, 1], minlength=size + 1)
    return np.cumsum(change)[:-1] > 0


@cache
def _white_space() -> NDArray[np.bool_]:
    """Return for each code point whether it is white space."""
    table = np.zeros(CODE_POINTS, np.bool_)
    table[[code for code in range(0x3001) if chr(code).isspace()]] = True
    return table

"""Words → runs of characters of scripts without spaces, as arrays that words are learned from."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.text.words.unspaced.scripts import HAN, HIRAGANA, continues_table, opens_table, script_table

__all__ = ["Runs", "runs_of"]


class Runs(NamedTuple):
    """Runs of characters, each preceded and followed by a separator.

    Attributes:
        codes: Code points, 0 for a separator: int64 (n,).
        weights: How often the word of each character occurs: int64 (n,).
        begins: Whether a word may begin at each character, or end before it: bool (n,).
        scripts: The kind of script of each character: uint8 (n,).
    """

    codes: NDArray[np.int64]
    weights: NDArray[np.int64]
    begins: NDArray[np.bool_]
    scripts: NDArray[np.uint8]


def runs_of(words: Sequence[bytes], counts: NDArray[np.int64]) -> Runs:
    """Return the runs of words in which no word crosses from one script to another, but from Han to Hiragana.

    Args:
        words: UTF-8.
        counts: How often each occurs: int64 (words,).

    >>> runs = runs_of(["テストを見る".encode(), b"cat"], np.array([2, 1]))
    >>> "".join(chr(code) if code else "|" for code in runs.codes)
    '|テスト|を|見る|'
    """
    text = b"\n".join([*words, b""]).decode()
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int64)
    ends = np.flatnonzero(codes == ord("\n"))
    weights = np.repeat(counts, np.diff(ends, prepend=-1))
    scripts = script_table()[codes]
    before = np.concatenate([[0], scripts[:-1]])
    changes = (scripts != before) & (scripts > 0) & (before > 0) & ~((before == HAN) & (scripts == HIRAGANA))
    changes &= ~continues_table()[codes]
    kept = (scripts > 0) | np.concatenate([[False], scripts[:-1] > 0])  # a separator behind each run
    place = np.cumsum(kept.astype(np.int64) + changes)  # after the first separator
    total = int(place[-1]) + 1 if place.size else 1
    runs = Runs(
        np.zeros(total, np.int64), np.zeros(total, np.int64), np.ones(total, np.bool_), np.zeros(total, np.uint8)
    )
    is_member = scripts > 0
    places = place[is_member]
    runs.codes[places], runs.weights[places], runs.scripts[places] = (
        codes[is_member],
        weights[is_member],
        scripts[is_member],
    )
    runs.begins[places] = ~continues_table()[codes[is_member]]
    follows = np.concatenate([[False], opens_table()[runs.codes[:-1]]])
    runs.begins[follows & (runs.codes > 0)] = False
    return runs

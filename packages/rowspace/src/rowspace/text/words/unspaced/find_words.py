"""Distinct words of a text → the words that those of scripts without spaces are made of."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace.text.words.unspaced.runs import runs_of
from rowspace.text.words.unspaced.scripts import script_table
from rowspace.text.words.unspaced.segmenters import SEGMENTERS
from rowspace.text.words.unspaced.training import learn_words

__all__ = ["find_words"]

_MOST_CHARACTERS = 2_000_000  # of distinct words to learn from, the most frequent; 128 bytes of memory each


def find_words(words: Sequence[bytes], counts: NDArray[np.int64], *, segmenter: str, min_count: int) -> list[str]:
    """Return words of scripts without spaces.

    Args:
        words: The distinct words of a text, in which phrases of such scripts are one word: UTF-8.
        counts: How often each occurs: int64 (words,).
        segmenter: "learned", or the library that says what is a word.
        min_count: How often a learned word must occur, at least.

    Raises:
        MissingExtraError: The library is not installed.

    >>> find_words([b"cat"], np.array([7]), segmenter="learned", min_count=1)
    []
    """
    chosen = [index for index, word in enumerate(words) if not word.isascii() and _has_unspaced(word.decode())]
    if segmenter != "learned":
        return SEGMENTERS[segmenter].words([words[index].decode() for index in chosen])
    chosen.sort(key=lambda index: (-counts[index], words[index]))
    sizes = np.cumsum([len(words[index]) // 3 for index in chosen])
    read = np.array(chosen, np.int64)[: int(np.searchsorted(sizes, _MOST_CHARACTERS)) + 1]
    share = counts[read].sum() / max(1, counts[chosen].sum()) if chosen else 1.0
    runs = runs_of([words[index] for index in read], counts[read])
    return learn_words(runs, min_count=max(2, round(min_count * share)))


def _has_unspaced(word: str) -> bool:
    return bool(script_table()[np.frombuffer(word.encode("utf-32-le"), "<u4")].any())

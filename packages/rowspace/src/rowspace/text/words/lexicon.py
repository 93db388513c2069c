"""The words found so far, and the scan of a block of text with them.

A `Lexicon` owns the arrays that the kernels work on; only one thread at a time may use it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import as_array
from rowspace.text.words import kernels

__all__ = ["Lexicon", "unspaced_share"]

# The first two bytes of the UTF-8 of a character, and the fewest of them that make a word a phrase.
_IDEOGRAPHIC = ((0xE381, 0xE383), (0xE390, 0xE9BF), (0xEFA4, 0xEFAB), (0xF0A0, 0xF0B2))  # Han and Kana
_SYLLABIC = ((0xE0B8, 0xE0BB), (0xE180, 0xE182), (0xE19E, 0xE19F))  # Thai and Lao, Burmese, Khmer
_MIN_LENGTHS = ((_IDEOGRAPHIC, 5), (_SYLLABIC, 12))
_FIRST_LEAD, _LAST_LEAD = 0xE0, 0xF0


def unspaced_share(arena: NDArray[np.uint8], starts: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Return the share of all characters of words that are in phrases without spaces.

    Args:
        arena: the UTF-8 of the distinct words, concatenated: uint8 (starts[-1],).
        starts: where each begins, and the last ends: int64 (words + 1,).
        counts: how often each occurs: int64 (words,).

    >>> words = ["the", "我们的模型", "cat"]
    >>> data = [word.encode() for word in words]
    >>> arena = np.frombuffer(b"".join(data), np.uint8)
    >>> unspaced_share(arena, np.cumsum([0, *map(len, data)]), np.array([2, 1, 1]))
    0.35714285714285715
    """
    if arena.max(initial=0) < _FIRST_LEAD:  # the usual case in Latin, Greek and Cyrillic scripts
        return 0.0
    leads = np.flatnonzero((arena >= _FIRST_LEAD) & (arena <= _LAST_LEAD))  # none in most Latin text
    if not leads.size:
        return 0.0
    pairs = (arena[leads].astype(np.int64) << 8) | arena[leads + 1]
    words = np.searchsorted(starts, leads, side="right") - 1
    inside = 0
    for ranges, min_length in _MIN_LENGTHS:
        is_member = np.zeros(len(pairs), np.bool_)
        for first, last in ranges:
            is_member |= (pairs >= first) & (pairs <= last)
        characters = np.bincount(words[is_member], minlength=len(counts))
        phrases = characters >= min_length
        inside += int(characters[phrases] @ counts[phrases])
    character_counts = np.concatenate([[0], np.cumsum((arena & 0xC0) != 0x80)])
    return inside / int(np.diff(character_counts[starts]) @ counts) if inside else 0.0


_ENDS = {"line": kernels.LINE, "paragraph": kernels.PARAGRAPH, "document": kernels.DOCUMENT}
_NO_ENDS = np.empty(0, np.int64)


class Lexicon:
    """A growing set of distinct words with their counts; ids are in the order in which words were first met."""

    def __init__(self, characters: NDArray[np.int32]) -> None:
        self.characters = characters
        self.size = 0
        self.words = kernels.Words(
            slots=np.zeros(4096, np.int64),
            starts=np.zeros(2049, np.int64),
            counts=np.zeros(2048, np.int64),
            arena=np.empty(16384, np.uint8),
        )

    def __len__(self) -> int:
        return self.size

    def scan(
        self,
        data: bytes | bytearray,
        ends: NDArray[np.int64] = _NO_ENDS,
        *,
        sentences: str = "document",
        blank: bool = True,
        learning: bool = True,
    ) -> tuple[NDArray[np.int32], int]:
        """Return the ids of the words of `data` (int32, -1 ends a sentence) and the count of bad UTF-8.

        Args:
            data: UTF-8.
            ends: The offsets at which documents end.
            sentences: What ends a sentence: "line", "paragraph" or "document".
            blank: Whether the line is blank so far in the text before.
            learning: Whether a new word gets the next id; otherwise it gets -2.
        """
        self.reserve(bytes_=2 * len(data))
        ids = np.empty(len(data) + len(ends), np.int32)
        state = np.array([0, 0, 0, 0, blank, self.size], np.int64)
        rule = (_ENDS[sentences], learning)
        array = as_array(data)
        scan = kernels.scan if kernels.may_have_emoji(array) else kernels.scan_words
        while scan(array, ends, self.characters, rule, self.words, ids, state) != kernels.AT_END:
            self.reserve(words=len(self.words.counts))
        self.size = int(state[kernels.SIZE])
        return ids[: state[kernels.WRITTEN]].copy(), int(state[kernels.BAD_COUNT])

    def add(self, words: Sequence[bytes], counts: NDArray[np.int64] | None = None) -> NDArray[np.int32]:
        """Add words unchanged, in order, and their counts, or zeros; return their ids: the next ones for new words."""
        starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(word) for word in words], out=starts[1:])
        arena = np.frombuffer(bytearray().join(words), np.uint8)
        counts = np.zeros(len(words), np.int64) if counts is None else counts
        return self._absorb(kernels.Words(_NO_ENDS, starts, counts, arena), len(words))

    def absorb(self, other: "Lexicon") -> NDArray[np.int32]:
        """Add the words and counts of another lexicon; return the ids of its words here: int32."""
        return self._absorb(other.words, other.size)

    def counts(self) -> NDArray[np.int64]:
        """Return how often each word was met: int64 (size,)."""
        return self.words.counts[: self.size]

    def unspaced_share(self) -> float:
        """Return the share of the text's characters that are in phrases without spaces."""
        starts = self.words.starts[: self.size + 1]
        return unspaced_share(self.words.arena[: starts[-1]], starts, self.counts())

    def all_words(self) -> list[bytes]:
        """Return the UTF-8 of all words in the order of their ids."""
        starts = self.words.starts[: self.size + 1].tolist()
        run = self.words.arena[: starts[-1]].tobytes()
        return [run[begin:end] for begin, end in pairwise(starts)]

    def _absorb(self, others: kernels.Words, size: int) -> NDArray[np.int32]:
        self.reserve(words=size, bytes_=int(others.starts[size]))
        ids = np.empty(size, np.int32)
        self.size = kernels.absorb(self.words, self.size, others, ids)
        return ids

    def reserve(self, *, words: int = 0, bytes_: int = 0) -> None:
        """Make room for this many more words, and bytes of words."""
        slots, starts, counts, arena = self.words
        used = int(starts[self.size])
        if used + bytes_ > len(arena):
            arena = _enlarged(arena, used + max(used, bytes_))
        if self.size + words >= len(counts):
            capacity = 2 ** (self.size + words).bit_length()
            starts, counts = _enlarged(starts, capacity + 1), _enlarged(counts, capacity)
            larger = np.zeros(2 * capacity, np.int64)
            kernels.rehash(slots, larger)
            slots = larger
        self.words = kernels.Words(slots, starts, counts, arena)


def _enlarged(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return a copy with `size` items, padded with zeros."""
    larger = np.zeros(size, array.dtype)
    larger[: len(array)] = array
    return larger

"""`Dictionary`: the words of texts by falling count, as in fastText."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rowspace._base.parallel import map_ranges, split_range
from rowspace.learn.classifier.rows.kernels.words import (
    Bytes,
    Longs,
    Lookup,
    add_counts,
    count_words,
    fill_slots,
    find_word,
    hash_word,
    hash_words,
)
from rowspace.subwords.hashing import END_OF_SENTENCE

__all__ = ["Dictionary", "count_dictionary", "joined"]

FIRST_WORDS = 1 << 16
TEXTS_AT_ONCE = 1 << 16


class Dictionary(NamedTuple):
    """Words and their counts; a `Lookup` finds them."""

    lookup: Lookup
    counts: Longs  # (V,)

    @classmethod
    def of_words(cls, data: Bytes, begins: Longs, ends: Longs, counts: Longs) -> "Dictionary":
        """Return the dictionary of the words at some places of `data`, in this order."""
        sizes = ends - begins
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(begins - starts[:-1], sizes) + np.arange(starts[-1])
        hashes = np.zeros(len(begins), np.uint32)
        lookup = _empty(np.ascontiguousarray(data[places]), max(1, len(begins)))
        lookup = lookup._replace(begins=starts[:-1].copy(), ends=starts[1:].copy(), hashes=hashes)
        hash_words(lookup)
        fill_slots(lookup, len(begins))
        return cls(lookup, counts)

    @property
    def end(self) -> int:
        """The id of the token that ends each text, -1 if there is none."""
        end = np.frombuffer(END_OF_SENTENCE.encode(), np.uint8)
        return int(find_word(self.lookup, end, 0, len(end), hash_word(end, 0, len(end))))

    def word(self, number: int) -> bytes:
        """Return the bytes of a word."""
        return self.lookup.data[self.lookup.begins[number] : self.lookup.ends[number]].tobytes()


def joined(texts: Iterable[str]) -> tuple[Bytes, Longs]:
    """Return texts as bytes one after the other, and where each begins, (n + 1,)."""
    parts = [text.encode(errors="surrogatepass") for text in texts]
    starts = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=starts[1:])
    return np.frombuffer(b"".join(parts), np.uint8), starts


def count_dictionary(
    data: Bytes, starts: Longs, *, min_count: int, threads: int = 1, least: int = TEXTS_AT_ONCE
) -> Dictionary:
    """Return the words of texts that are frequent enough, and the token that ends each text.

    Each thread counts the words of at least `least` texts.
    """
    ranges = split_range(len(starts) - 1, minimum=least, pieces=threads)
    first, *others = map_ranges(lambda begin, end: _counted(data, starts[begin : end + 1]), ranges, threads=threads)
    lookup, counts, size = first
    for other, other_counts, number in others:
        lookup, counts = _grown(lookup, counts, size, size + number)
        size = add_counts(lookup, size, counts, other, other_counts[:number])
    order = np.argsort(-counts[:size], kind="stable")
    order = order[counts[order] >= min_count]
    begins, ends, found = lookup.begins[order], lookup.ends[order], counts[order]
    end = np.frombuffer(END_OF_SENTENCE.encode(), np.uint8)
    is_end = ends - begins == len(end)
    is_end[is_end] = (data[begins[is_end, np.newaxis] + np.arange(len(end))] == end).all(1)
    texts = len(starts) - 1
    place = int(np.searchsorted(-found[~is_end], -texts, side="left"))
    begins = np.insert(begins[~is_end], place, len(data))
    ends = np.insert(ends[~is_end], place, len(data) + len(end))
    return Dictionary.of_words(np.concatenate([data, end]), begins, ends, np.insert(found[~is_end], place, texts))


def _counted(data: Bytes, starts: Longs) -> tuple[Lookup, Longs, int]:
    """Return the words of texts in the order of their first use, their counts, and their number."""
    lookup, counts, size, text = _empty(data, FIRST_WORDS), np.zeros(FIRST_WORDS, np.int64), 0, 0
    longest = int(np.diff(starts).max(initial=0)) // 2 + 2
    while True:
        text, size = count_words(lookup, starts, text, size, counts)
        if text == len(starts) - 1:
            return lookup, counts, size
        lookup, counts = _grown(lookup, counts, size, max(2 * len(counts), size + longest))


def _grown(lookup: Lookup, counts: Longs, size: int, capacity: int) -> tuple[Lookup, Longs]:
    """Return a dictionary of `size` words with room for more."""
    grown = _empty(lookup.data, capacity)
    for name in ("hashes", "begins", "ends"):
        getattr(grown, name)[:size] = getattr(lookup, name)[:size]
    fill_slots(grown, size)
    return grown, np.concatenate([counts[:size], np.zeros(capacity - size, np.int64)])


def _empty(data: Bytes, capacity: int) -> Lookup:
    slots = np.full(1 << (2 * capacity - 1).bit_length(), -1, np.int32)
    return Lookup(
        slots, np.zeros(capacity, np.uint32), np.zeros(capacity, np.int64), np.zeros(capacity, np.int64), data
    )

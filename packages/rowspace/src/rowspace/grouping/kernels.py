"""Texts → sets of hashed n-grams of characters, and the greedy search for texts whose sets overlap."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import character, number
from rowspace.text.characters.table import DOTTED_I, JOINER

__all__ = ["BUCKETS", "Postings", "keep_first", "write_grams"]

BUCKETS = 1 << 24  # of n-grams; two that share one count as the same
_FACTOR, _MASK = 0x9E3779B1, 0xFFFFFFFF
_SPACE = 32


@kernel
def write_grams(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    characters: NDArray[np.int32],
    n: int,
    grams: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Write the hash of each n-gram of each text to `grams`, and their numbers to `sizes`.

    The text i is data[ends[i]:ends[i + 1]]. It is read as its words, in lowercase, with a space between two; a text
    with fewer than n characters is one n-gram, and a text without words is one n-gram of its bytes. `grams` needs
    room for one for each byte and each text.
    """
    written, shift = 0, (62 + n) // n  # after n shifts nothing of a character is left
    for text in range(sizes.size):
        begin, position, end = written, ends[text], ends[text + 1]
        window, seen, is_between = 0, 0, False
        while position < end:
            value, width = character(data, position, end, characters)
            position += width
            if value < DOTTED_I:
                is_between = is_between or value != JOINER
                continue
            for code in range(2):
                if code == 0 and not (is_between and seen > 0):
                    continue
                window = ((window << shift) ^ ((value if code == 1 else _SPACE) * _FACTOR)) & 0x7FFFFFFFFFFFFFFF
                seen += 1
                if seen >= n:
                    grams[written] = _bucket(window)
                    written += 1
            is_between = False
        if written == begin:
            if seen == 0:
                window = 0x811C9DC5
                for index in range(ends[text], end):
                    window = ((window ^ number(data, index)) * 0x01000193) & _MASK
            grams[written] = _bucket(window)
            written += 1
        sizes[text] = written - begin


@kernel
def _bucket(window: int) -> int:
    """Return the bucket of a number of 63 bits."""
    mixed = ((window >> 32) ^ window) & _MASK
    mixed = ((mixed ^ (mixed >> 16)) * 0x45D9F3B) & _MASK
    mixed = ((mixed ^ (mixed >> 16)) * 0x45D9F3B) & _MASK
    return (mixed ^ (mixed >> 16)) & (BUCKETS - 1)


class Postings(NamedTuple):
    """For each bucket, the kept texts that have it in their prefix.

    Those of bucket b are `texts` and `places` from starts[b], `used[b]` of them; a place is the number of rarer
    n-grams in the text. All are int32, but `starts`, int64 (BUCKETS + 1,).
    """

    starts: NDArray[np.int64]
    used: NDArray[np.int32]
    texts: NDArray[np.int32]
    places: NDArray[np.int32]


@kernel
def keep_first(
    grams: NDArray[np.uint32],
    starts: NDArray[np.int64],
    postings: Postings,
    threshold: float,
    seen: NDArray[np.int32],
    first: NDArray[np.int64],
    similarity: NDArray[np.float32],
) -> None:
    """Write for each text the most similar one among the kept texts before it, or itself, which keeps it.

    `grams` has the n-grams of text i from starts[i] to starts[i + 1], in one order of all texts, the rare first; their
    low 24 bits are buckets. Two texts with a Jaccard similarity of at least the threshold share one of the first
    `prefix` n-grams of each (Chaudhuri, Ganti & Kaushik 2006). `seen` is -1, int32 (texts,).
    """
    for text in range(starts.size - 1):
        begin, size = starts[text], starts[text + 1] - starts[text]
        best, best_text = 0.0, text
        for place in range(prefix(size, threshold)):
            bucket = np.int64(grams[begin + place]) & (BUCKETS - 1)
            for entry in range(postings.starts[bucket], postings.starts[bucket] + postings.used[bucket]):
                other = postings.texts[entry]
                other_size = starts[other + 1] - starts[other]
                needed = math.ceil(max(threshold, best) / (1 + max(threshold, best)) * (size + other_size) - 1e-9)
                if seen[other] == text or min(size - place, other_size - postings.places[entry]) < needed:
                    continue
                seen[other] = text
                shared = overlap(grams, begin, begin + size, starts[other], starts[other + 1], needed)
                if shared >= needed:
                    jaccard = shared / (size + other_size - shared)
                    if jaccard > best or (jaccard == best and other < best_text):
                        best, best_text = jaccard, other
        first[text], similarity[text] = best_text, best if best_text != text else 1.0
        if best_text == text:
            for place in range(prefix(size, threshold)):
                bucket = np.int64(grams[begin + place]) & (BUCKETS - 1)
                entry = postings.starts[bucket] + postings.used[bucket]
                postings.texts[entry], postings.places[entry] = text, place
                postings.used[bucket] += 1


@kernel
def prefix(size: int, threshold: float) -> int:
    """Return how many of the n-grams of a text a similar text must share one of."""
    return size - math.ceil(threshold * size - 1e-9) + 1


@kernel
def overlap(grams: NDArray[np.uint32], one: int, one_end: int, two: int, two_end: int, needed: int) -> int:
    """Return how many n-grams two texts share; less than `needed` if there are fewer."""
    shared = 0
    while one < one_end and two < two_end:
        if shared + min(one_end - one, two_end - two) < needed:
            break
        first, second = grams[one], grams[two]
        shared += first == second
        one += first <= second
        two += second <= first
    return shared

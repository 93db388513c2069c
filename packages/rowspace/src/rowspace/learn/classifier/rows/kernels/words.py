"""The words of texts in UTF-8, and their ids in a dictionary with open addressing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.subwords.composition import fnv1a_step
from rowspace.subwords.hashing import FNV_START

__all__ = [
    "Lookup",
    "add_counts",
    "count_words",
    "fill_slots",
    "find_word",
    "hash_word",
    "hash_words",
    "is_end",
    "is_label",
    "word_span",
]

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]

LABEL = np.frombuffer(b"__label__", np.uint8)
END = np.frombuffer(b"</s>", np.uint8)  # ends a text


class Lookup(NamedTuple):
    """The words of a dictionary, V of them."""

    slots: NDArray[np.int32]  # a power of two; the id of a word, or -1
    hashes: NDArray[np.uint32]  # (V,)
    begins: Longs  # (V,) places in `data`
    ends: Longs  # (V,)
    data: Bytes


@kernel
def is_blank(byte: np.uint8) -> bool:
    """Whether fastText divides words at a byte: a blank, 9 to 13, or NUL."""
    return bool(byte == 32 or 9 <= byte <= 13 or byte == 0)


@kernel
def word_span(data: Bytes, place: int, end: int) -> tuple[int, int]:
    """Return where the next word from `place` on begins and ends; both are `end` if there is none."""
    while place < end and is_blank(data[place]):
        place += 1
    begin = place
    while place < end and not is_blank(data[place]):
        place += 1
    return begin, place


@kernel
def hash_word(data: Bytes, begin: int, end: int) -> np.uint32:
    """Return fastText's hash of a word."""
    hashed = np.uint32(FNV_START)
    for place in range(begin, end):
        hashed = fnv1a_step(hashed, data[place])
    return hashed


@kernel
def hash_words(lookup: Lookup) -> None:
    """Write the hash of each word of a dictionary."""
    for word in range(len(lookup.hashes)):
        lookup.hashes[word] = hash_word(lookup.data, lookup.begins[word], lookup.ends[word])


@kernel
def begins_with(data: Bytes, begin: int, end: int, start: Bytes) -> bool:
    """Whether the bytes from `begin` to `end` begin with `start`."""
    if end - begin < len(start):
        return False
    for place in range(len(start)):
        if data[begin + place] != start[place]:
            return False
    return True


@kernel
def is_label(data: Bytes, begin: int, end: int) -> bool:
    """Whether a word is a label of fastText's file format."""
    return begins_with(data, begin, end, LABEL)


@kernel
def is_end(data: Bytes, begin: int, end: int) -> bool:
    """Whether a word is the token that ends a text."""
    return end - begin == len(END) and begins_with(data, begin, end, END)


@kernel
def find_word(lookup: Lookup, data: Bytes, begin: int, end: int, hashed: np.uint32) -> int:
    """Return the id of a word, -1 if it is unknown."""
    mask = len(lookup.slots) - 1
    slot = np.int64(hashed) & mask
    while lookup.slots[slot] >= 0:
        word = lookup.slots[slot]
        if lookup.hashes[word] == hashed and is_same(lookup, word, data, begin, end):
            return np.int64(word)  # type: ignore[return-value]  # an int to Numba
        slot = (slot + 1) & mask
    return -1


@kernel
def is_same(lookup: Lookup, word: int, data: Bytes, begin: int, end: int) -> bool:
    """Whether a word of the dictionary has these bytes."""
    first = lookup.begins[word]
    if lookup.ends[word] - first != end - begin:
        return False
    for place in range(end - begin):
        if lookup.data[first + place] != data[begin + place]:
            return False
    return True


@kernel
def fill_slots(lookup: Lookup, size: int) -> None:
    """Write the ids 0 to `size` - 1 to the slots, which hold -1."""
    mask = len(lookup.slots) - 1
    for word in range(size):
        slot = np.int64(lookup.hashes[word]) & mask
        while lookup.slots[slot] >= 0:
            slot = (slot + 1) & mask
        lookup.slots[slot] = word


@kernel
def find_or_add(lookup: Lookup, begin: int, end: int, hashed: np.uint32, size: int) -> tuple[int, int]:
    """Return the id of a word of the dictionary's own bytes, which gets the next one if it is new, and the new size."""
    word = find_word(lookup, lookup.data, begin, end, hashed)
    if word >= 0:
        return word, size
    mask = len(lookup.slots) - 1
    slot = np.int64(hashed) & mask
    while lookup.slots[slot] >= 0:
        slot = (slot + 1) & mask
    lookup.slots[slot] = size
    lookup.hashes[size], lookup.begins[size], lookup.ends[size] = hashed, begin, end
    return np.int64(size), size + 1  # type: ignore[return-value]  # an int to Numba


@kernel
def count_words(lookup: Lookup, starts: Longs, text: int, size: int, counts: Longs) -> tuple[int, int]:
    """Add the words of the texts from `text` on to the dictionary of the texts' own bytes, and count them.

    Labels are left out. Text i is `lookup.data[starts[i] : starts[i + 1]]`. Returns the next text and the number of
    words; the text is one that has not been counted if the dictionary could become more than half full by it.
    """
    data = lookup.data
    while text < len(starts) - 1:
        place, end = starts[text], starts[text + 1]
        if size + (end - place) // 2 + 1 > len(counts):
            return text, size
        while place < end:
            begin, place = word_span(data, place, end)
            if begin == place or is_label(data, begin, place):
                continue
            word, size = find_or_add(lookup, begin, place, hash_word(data, begin, place), size)
            counts[word] += 1
            if is_end(data, begin, place):
                break
        text += 1
    return text, size


@kernel
def add_counts(lookup: Lookup, size: int, counts: Longs, other: Lookup, other_counts: Longs) -> int:
    """Add the words of another dictionary of the same bytes, and their counts; returns the number of words."""
    for place in range(len(other_counts)):
        begin, end = other.begins[place], other.ends[place]
        word, size = find_or_add(lookup, begin, end, other.hashes[place], size)
        counts[word] += other_counts[place]
    return size

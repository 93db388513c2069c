"""The scanner: UTF-8 bytes → ids of words.

`scan` decodes, classifies, lowercases, finds words and looks each up in a hash table, in one pass over the
bytes. A word is written at the end of the arena while it is read; when it is new, the arena keeps it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import BAD, character, number
from rowspace.text.characters.table import BLANK, DOTTED_I, JOINER, LINE_END, WORD

__all__ = [
    "DOCUMENT",
    "END",
    "LINE",
    "PARAGRAPH",
    "UNKNOWN",
    "Words",
    "absorb",
    "read_word",
    "rehash",
    "scan",
    "write",
]

LINE, PARAGRAPH, DOCUMENT = 0, 1, 2  # what ends a sentence
END = -1  # the id that ends a sentence
UNKNOWN = -2  # the id of a new word when none is learned
HASH_SEED, HASH_PRIME, HASH_MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF  # FNV-1a, 32 bits, in 64-bit numbers
IDENTITY_MASK = 0xFFFFFFFF


class Words(NamedTuple):
    """The distinct words: word i is arena[starts[i]:starts[i + 1]], seen counts[i] times.

    `slots` (2^k,) int64 is a hash table with open addresses: each is 0, or 31 bits of hash above id + 1.
    `starts` and `counts` are int64, `arena` uint8. All have spare capacity: the number of words is stored
    separately.
    """

    slots: NDArray[np.int64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    arena: NDArray[np.uint8]


# The state that a scan reads first and writes last, so that it can continue: int64 (6,), with these indices.
POSITION, DOCUMENT_INDEX, WRITTEN, BAD_COUNT, IS_BLANK, SIZE = range(6)


@kernel
def scan(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    characters: NDArray[np.int32],
    rule: tuple[int, bool],
    words: Words,
    ids: NDArray[np.int32],
    state: NDArray[np.int64],
) -> bool:
    """Write the ids of the words of `data` to `ids`; return False when `words` must grow first.

    `ends`: where documents end; what follows the last is the start of one. `rule`: what ends a sentence,
    whether new words are learned. There must be room for one id for each byte and each end, and for twice the
    bytes in the arena.
    """
    sentences, learning = rule
    slots, starts, counts, arena = words
    position, document, written, bad, blank, size = state
    while True:
        end = ends[document] if document < ends.size else data.size
        while position < end:
            value, width = character(data, position, end, characters)
            if value >= DOTTED_I:
                if size + 1 >= counts.size:
                    state[:] = position, document, written, bad, blank, size
                    return False
                begin = starts[size]
                position, stop, hashed = read_word(data, position, end, characters, arena, begin)
                slot = find(slots, starts, arena, begin, stop, hashed)
                if slots[slot] == 0 and learning:
                    size += 1
                    slots[slot] = ((hashed >> 1) << 32) | size
                    starts[size] = stop
                identity = (slots[slot] & IDENTITY_MASK) - 1
                if identity >= 0:
                    counts[identity] += 1
                ids[written] = identity if identity >= 0 else UNKNOWN
                written += 1
                blank = 0
                continue
            position += width
            if value == LINE_END:
                if sentences == LINE or (sentences == PARAGRAPH and blank == 1):
                    ids[written] = END
                    written += 1
                blank = 1
            elif value != BLANK:
                bad += value == BAD
                blank = 0
        if document == ends.size:
            break
        ids[written] = END
        written += 1
        document += 1
        blank = 1
    state[:] = position, document, written, bad, blank, size
    return True


@kernel
def read_word(
    data: NDArray[np.uint8],
    position: int,
    end: int,
    characters: NDArray[np.int32],
    arena: NDArray[np.uint8],
    begin: int,
) -> tuple[int, int, int]:
    """Write a word to arena[begin:]; return where it stops in the data and in the arena, and its hash."""
    stop, hashed = begin, HASH_SEED
    while position < end:
        if data[position] < 0x80 and characters[data[position]] >= WORD:  # the usual case, apart for speed
            value = int(characters[data[position]])
            arena[stop] = value
            hashed = ((hashed ^ value) * HASH_PRIME) & HASH_MASK
            stop += 1
            position += 1
            continue
        value, width = character(data, position, end, characters)
        if value >= WORD:
            stop, hashed = write(value, arena, stop, hashed)
        elif value == DOTTED_I:
            stop, hashed = write(0x69, arena, stop, hashed)
            stop, hashed = write(0x307, arena, stop, hashed)
        elif value == JOINER and joins(data, position + width, end, characters):
            stop, hashed = write(0x2019 if width > 1 else number(data, position), arena, stop, hashed)
        else:
            break
        position += width
    return position, stop, hashed


@kernel
def joins(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> bool:
    """Return whether a word character is at `position`, so that a joiner before it is part of the word."""
    return position < end and character(data, position, end, characters)[0] >= DOTTED_I


@kernel
def write(code: int, arena: NDArray[np.uint8], stop: int, hashed: int) -> tuple[int, int]:
    """Write a code point as UTF-8 to arena[stop:]; return the new stop and hash."""
    if code < 0x80:
        arena[stop] = code
        return stop + 1, ((hashed ^ code) * HASH_PRIME) & HASH_MASK
    length = 2 + (code >= 0x800) + (code >= 0x10000)
    lead = (0xF00 >> length) & 0xFF
    for index in range(length):
        byte = lead if index == 0 else 0x80
        byte |= (code >> (6 * (length - 1 - index))) & 0x3F
        arena[stop + index] = byte
        hashed = ((hashed ^ byte) * HASH_PRIME) & HASH_MASK
    return stop + length, hashed


@kernel
def find(
    slots: NDArray[np.int64],
    starts: NDArray[np.int64],
    arena: NDArray[np.uint8],
    begin: int,
    stop: int,
    hashed: int,
) -> int:
    """Return the slot of the word arena[begin:stop], or the free slot that it would take."""
    slot, length = (hashed >> 1) & (slots.size - 1), stop - begin
    while slots[slot] != 0:
        if slots[slot] >> 32 == hashed >> 1:
            other = starts[(slots[slot] & IDENTITY_MASK) - 1]
            same = starts[slots[slot] & IDENTITY_MASK] - other == length
            index = 0
            while same and index < length:
                same = arena[begin + index] == arena[other + index]
                index += 1
            if same:
                break
        slot = (slot + 1) & (slots.size - 1)
    return slot


@kernel
def rehash(slots: NDArray[np.int64], larger: NDArray[np.int64]) -> None:
    """Enter all words of one hash table into another, which is empty."""
    for entry in slots:
        if entry != 0:
            slot = (entry >> 32) & (larger.size - 1)
            while larger[slot] != 0:
                slot = (slot + 1) & (larger.size - 1)
            larger[slot] = entry


@kernel
def absorb(words: Words, size: int, others: Words, ids: NDArray[np.int32]) -> int:
    """Add the words and counts of `others` to the `size` words, write their ids, return the new size.

    There must be room for all of them.
    """
    slots, starts, counts, arena = words
    for other in range(ids.size):
        begin, stop, hashed = starts[size], starts[size], HASH_SEED
        for index in range(others.starts[other], others.starts[other + 1]):
            arena[stop] = others.arena[index]
            hashed = ((hashed ^ number(arena, stop)) * HASH_PRIME) & HASH_MASK
            stop += 1
        slot = find(slots, starts, arena, begin, stop, hashed)
        if slots[slot] == 0:
            size += 1
            slots[slot] = ((hashed >> 1) << 32) | size
            starts[size] = stop
        identity = (slots[slot] & IDENTITY_MASK) - 1
        ids[other] = identity
        counts[identity] += others.counts[other]
    return size

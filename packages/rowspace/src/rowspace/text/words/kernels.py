"""The scanner: UTF-8 bytes → ids of words.

`scan` decodes, classifies, lowercases, finds words and looks each up in a hash table, in one pass over the
bytes. A word is written at the end of the arena while it is read; when it is new, the arena keeps it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import BAD, character, number
from rowspace.text.characters.table import (
    BLANK,
    DOTTED_I,
    EMOJI,
    HEBREW_QUOTE,
    JOINER,
    LINE_END,
    MODIFIER,
    REGIONAL,
    WORD,
)

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
AT_END, AT_EMOJI, FULL = range(3)  # why a scan ends


@kernel
def scan(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    characters: NDArray[np.int32],
    rule: tuple[int, bool],
    words: Words,
    ids: NDArray[np.int32],
    state: NDArray[np.int64],
) -> int:
    """Write the ids of the words of `data` to `ids`; return AT_END, or FULL when `words` must grow first.

    `ends`: where documents end; what follows the last is the start of one. `rule`: what ends a sentence,
    whether new words are learned. There must be room for one id for each byte and each end, and for twice the
    bytes in the arena.
    """
    while True:
        reason = scan_words(data, ends, characters, (rule[0], rule[1], True), words, ids, state)
        if reason == AT_EMOJI and state[SIZE] + 1 < words.counts.size:
            scan_emoji(data, ends, characters, rule[1], words, ids, state)
        else:
            return FULL if reason == AT_EMOJI else reason


@kernel
def may_have_emoji(data: NDArray[np.uint8]) -> bool:
    """Return whether the data has bytes with which the UTF-8 of emoji, and of some other characters, begins."""
    found = 0
    for index in range(data.size - 2):
        lead, second = data[index], data[index + 1]
        found += (lead == 0xF0) | ((lead == 0xE2) & (second >= 0x8C)) | ((lead == 0xE3) & ((second & 0xF5) == 0x80))
    return found > 0


@kernel
def scan_emoji(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    characters: NDArray[np.int32],
    learning: bool,
    words: Words,
    ids: NDArray[np.int32],
    state: NDArray[np.int64],
) -> None:
    """Write the id of the emoji at the position of the state."""
    size, end = state[SIZE], ends[state[DOCUMENT_INDEX]] if state[DOCUMENT_INDEX] < ends.size else data.size
    begin = words.starts[size]
    state[POSITION], stop, hashed = read_emoji(data, state[POSITION], end, characters, words.arena, begin)
    state[IS_BLANK] = 0
    if stop > begin:
        ids[state[WRITTEN]], state[SIZE] = enter(words, size, stop, hashed, learning)
        state[WRITTEN] += 1


@kernel
def scan_words(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    characters: NDArray[np.int32],
    rule: tuple[int, bool] | tuple[int, bool, bool],
    words: Words,
    ids: NDArray[np.int32],
    state: NDArray[np.int64],
) -> int:
    """Scan as `scan` does a text without emoji; or, if the rule has a third item, any text up to its first emoji.

    That is known when this is compiled: another branch at each end of a word makes the scan a seventh slower.
    """
    sentences, learning = rule[0], rule[1]
    slots, starts, counts, arena = words
    position, document, written, bad, blank, size = state
    emoji = -1
    while True:
        end = ends[document] if document < ends.size else data.size
        while position < end:
            value, width = character(data, position, end, characters)
            if value >= DOTTED_I:
                if size + 1 >= counts.size:
                    state[:] = position, document, written, bad, blank, size
                    return FULL
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
                if len(rule) == 3 and value >= REGIONAL:  # the inner loop ends here
                    emoji, end = position - width, position
                else:
                    bad += value == BAD
                    blank = 0
        if document == ends.size or emoji >= 0:
            break
        ids[written] = END
        written += 1
        document += 1
        blank = 1
    state[:] = position if emoji < 0 else emoji, document, written, bad, blank, size
    return AT_END if emoji < 0 else AT_EMOJI


@kernel
def enter(words: Words, size: int, stop: int, hashed: int, learning: bool) -> tuple[int, int]:
    """Return the id of the word that ends at `stop` of the arena, behind the `size` others, and the new size."""
    slots, starts, counts, arena = words
    begin = starts[size]
    slot = find(slots, starts, arena, begin, stop, hashed)
    if slots[slot] == 0 and learning:
        size += 1
        slots[slot] = ((hashed >> 1) << 32) | size
        starts[size] = stop
    identity = (slots[slot] & IDENTITY_MASK) - 1
    if identity >= 0:
        counts[identity] += 1
    return identity if identity >= 0 else UNKNOWN, size


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
        elif (value == JOINER and joins(data, position + width, end, characters)) or (
            value == HEBREW_QUOTE and is_hebrew(data, position - 2, end) and is_hebrew(data, position + 1, end)
        ):
            for index in range(position, position + width):
                arena[stop] = data[index]
                hashed = ((hashed ^ number(data, index)) * HASH_PRIME) & HASH_MASK
                stop += 1
        else:
            break
        position += width
    return position, stop, hashed


@kernel
def joins(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> bool:
    """Return whether a word character is at `position`, so that a joiner before it is part of the word."""
    return position < end and character(data, position, end, characters)[0] >= DOTTED_I


@kernel
def is_hebrew(data: NDArray[np.uint8], position: int, end: int) -> bool:
    """Return whether a Hebrew letter is at `position`, which is the start of a character or a byte within one."""
    return 0 <= position < end - 1 and data[position] == 0xD7 and 0x90 <= data[position + 1] <= 0xAA


@kernel
def read_emoji(
    data: NDArray[np.uint8],
    position: int,
    end: int,
    characters: NDArray[np.int32],
    arena: NDArray[np.uint8],
    begin: int,
) -> tuple[int, int, int]:
    """Write an emoji to arena[begin:], with its modifiers and those joined to it, or a flag; return as `read_word`.

    A regional indicator without a second one is not a flag: nothing is written, and the position is after it.
    """
    value, width = character(data, position, end, characters)
    stop = position + width
    if value == REGIONAL:
        if stop >= end or character(data, stop, end, characters)[0] != REGIONAL:
            return stop, begin, HASH_SEED
        stop += width
    else:
        stop = after_modifiers(data, stop, end, characters)
        while stop + 3 < end and data[stop] == 0xE2 and data[stop + 1] == 0x80 and data[stop + 2] == 0x8D:
            value, width = character(data, stop + 3, end, characters)
            if value != EMOJI:
                break
            stop = after_modifiers(data, stop + 3 + width, end, characters)
    written, hashed = begin, HASH_SEED
    for index in range(position, stop):
        arena[written] = data[index]
        hashed = ((hashed ^ number(data, index)) * HASH_PRIME) & HASH_MASK
        written += 1
    return stop, written, hashed


@kernel
def after_modifiers(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> int:
    """Return the position behind the modifiers at `position`."""
    while position < end:
        value, width = character(data, position, end, characters)
        if value not in (MODIFIER, 0xFE0F):
            break
        position += width
    return position


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

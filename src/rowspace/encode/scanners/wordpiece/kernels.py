"""The scan: UTF-8 → words as BERT's normalizer and splitter make them → ids.

A word is appended to those of the cache while it is read, and looked up there; when it is new, the vocabulary's trie
cuts it into the longest pieces.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.cache.kernels import (
    BYTES,
    KEY,
    LENGTH_SHIFT,
    LONG,
    LOW,
    VALUE,
    copy_ids,
    find,
    insert,
    is_one_id,
    key_of,
    mark_of,
    unpack,
)
from rowspace.encode.scanners.cache.word_cache import LONGEST
from rowspace.encode.scanners.wordpiece.added_tokens import LITERAL, NORMALIZED, WORD_END, WORD_START
from rowspace.encode.scanners.wordpiece.characters import (
    CLASS_BITS,
    CLASS_MASK,
    DROP,
    ISOLATED,
    LEAVE,
    SEQUENCE,
    SPACE,
    WORD,
)
from rowspace.encode.scanners.wordpiece.trie_kernels import longest_piece
from rowspace.text.characters.kernels import number
from rowspace.text.words.kernels import write

__all__ = ["scan"]

UNKNOWN, CONTINUING, CHARACTERS = range(3)  # the items of `rule`
CHECKED, LEFT = 1, 2  # marks of a cached word: it may be part of an added token; its text is left to the library
WIDEST = 16  # more than the bytes that one character becomes
ASCII_NUMBERS = 0x80 << CLASS_BITS  # below, a character of a word is one byte


@kernel
def scan(
    data: NDArray[np.uint8],
    indptr: NDArray[np.int64],
    first: int,
    last: int,
    characters: NDArray[np.int32],
    trie: NDArray[np.int64],
    rule: NDArray[np.int64],
    added: NDArray[np.uint8],
    slots: NDArray[np.int64],
    arena: NDArray[np.uint8],
    pool: NDArray[np.int32],
    used: NDArray[np.int64],
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> int:
    """Write the ids of texts first … last - 1 and where each text's ids end; return how many texts are left.

    The end e of a text that is left to the library, which has no ids, is written as -1 - e.

    `characters`: of `character_numbers`. `trie`: of `build_trie`. `rule`: the id of the unknown token or -1, the node
    from which continuing pieces go or -1, the most characters of a word. `added`: of `added_records`. `slots` to
    `used`: a `WordCache`. There must be room for an id for each byte, and in `ends` for one more than texts.
    """
    written, leaving = 0, 0
    ends[0] = 0
    for text in range(first, last):
        start, position, end = written, indptr[text], indptr[text + 1]
        verdict = 0
        while position < end and verdict < LEFT:
            begin = used[BYTES]
            before = position
            position, key = read_short(data, position, end, characters)
            stop, kind = begin, SPACE
            if position == before:
                position, stop, kind = read_word(data, position, end, characters, arena, begin)
                key = key_of(arena, begin, stop) if stop > begin else 0
            if kind == LEAVE:
                verdict = LEFT
            elif key != 0:
                slot = find(slots, arena, pool, arena, begin, stop, key)
                if slots[slot, KEY] == 0:
                    stop = unpack(key, arena, begin) if stop == begin else stop
                    written, mark = cut_word(
                        arena, begin, stop, trie, rule, added, slots, pool, used, ids, written, slot, key
                    )
                    verdict |= mark
                elif key < LONG and is_one_id(slots, slot):
                    ids[written] = slots[slot, VALUE] & LOW
                    written += 1
                else:
                    written = copy_ids(slots, pool, slot, ids, written)
                    verdict |= mark_of(slots, slot)
        if verdict >= LEFT or (verdict == CHECKED and has_literal(data, indptr[text], end, added)):
            written = start
            leaving += 1
            ends[text - first + 1] = -1 - written
        else:
            ends[text - first + 1] = written
    return leaving


@kernel
def read_short(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> tuple[int, int]:
    """Read an ASCII word of 1 to 7 bytes, or one white space; return the next position, and the word's key or 0.

    The position stays where it is if there is something else, which `read_word` reads.
    """
    start, key, shift, kind = position, 0, 0, SPACE
    while position < end and shift < 64:
        byte = number(data, position)
        value = int(characters[byte & 0x7F])
        kind = (value & CLASS_MASK) | (byte & 0x80)
        if kind != WORD:
            break
        key |= (value >> CLASS_BITS) << shift
        shift += 8
        position += 1
        kind = SPACE  # if the text ends here
    if shift == 64 or not SPACE <= kind <= ISOLATED:
        return start, 0
    if kind == ISOLATED and shift == 0:
        return position + 1, (1 << LENGTH_SHIFT) | (int(characters[data[position]]) >> CLASS_BITS)
    if shift != 0:
        key |= (shift >> 3) << LENGTH_SHIFT
    return position + (kind == SPACE), key


@kernel
def read_word(
    data: NDArray[np.uint8],
    position: int,
    end: int,
    characters: NDArray[np.int32],
    arena: NDArray[np.uint8],
    begin: int,
) -> tuple[int, int, int]:
    """Write a word to arena[begin:]; return the next position, where the word stops, and the class of what ended it.

    The word is empty if there is only white space, and the class is `LEAVE` if the word is too long.
    """
    stop, limit = begin, begin + LONGEST - WIDEST
    while position < end and stop <= limit:
        byte, width = number(data, position), 1
        if byte < 0x80:
            value = int(characters[byte])
        else:
            value, width = character_number(data, position, characters)
        kind = value & CLASS_MASK
        if kind == WORD and value < ASCII_NUMBERS:
            arena[stop] = value >> CLASS_BITS
            stop += 1
        elif kind == WORD or (kind == ISOLATED and stop == begin):
            stop = write(value >> CLASS_BITS, arena, stop, 0)[0]
            if kind == ISOLATED:
                return position + width, stop, kind
        elif kind == SEQUENCE:
            place = value >> CLASS_BITS
            for index in range(place + 1, place + 1 + characters[place]):
                stop = write(int(characters[index]), arena, stop, 0)[0]
        elif kind == ISOLATED:
            return position, stop, kind
        elif kind != DROP and (stop > begin or kind == LEAVE):
            return position + width, stop, kind
        position += width
    return position, stop, SPACE if stop <= limit else LEAVE


@kernel
def character_number(data: NDArray[np.uint8], position: int, characters: NDArray[np.int32]) -> tuple[int, int]:
    """Return the number of the character beyond ASCII at `position` of valid UTF-8, and its width in bytes."""
    lead = number(data, position)
    code, width = ((lead & 0x1F) << 6) | (number(data, position + 1) & 0x3F), 2
    if lead >= 0xE0:
        code, width = ((code & 0x3FF) << 6) | (number(data, position + 2) & 0x3F), 3
    if lead >= 0xF0:
        code, width = ((code & 0x7FFF) << 6) | (number(data, position + 3) & 0x3F), 4
    return int(characters[code]), width


@kernel
def cut_word(
    arena: NDArray[np.uint8],
    begin: int,
    stop: int,
    trie: NDArray[np.int64],
    rule: NDArray[np.int64],
    added: NDArray[np.uint8],
    slots: NDArray[np.int64],
    pool: NDArray[np.int32],
    used: NDArray[np.int64],
    ids: NDArray[np.int32],
    written: int,
    slot: int,
    key: int,
) -> tuple[int, int]:
    """Write the ids of the new word arena[begin:stop] and keep it; return where they end, and the word's mark."""
    last = longest_pieces(arena, begin, stop, trie, rule, ids, written)
    mark = LEFT if last < 0 else suspicion(arena, begin, stop, added)
    last = max(last, written)
    insert(slots, arena, pool, used, slot, key, arena, begin, stop, ids, written, last, mark)
    return last, mark


@kernel
def longest_pieces(
    arena: NDArray[np.uint8],
    begin: int,
    stop: int,
    trie: NDArray[np.int64],
    rule: NDArray[np.int64],
    ids: NDArray[np.int32],
    written: int,
) -> int:
    """Write the ids of the longest pieces, else the unknown one; return where they end, -1 without an unknown one."""
    length = 0  # in characters
    for index in range(begin, stop):
        length += number(arena, index) & 0xC0 != 0x80
    node, last = 0, written
    while begin < stop and length <= rule[CHARACTERS]:
        found, identity = longest_piece(trie, node, arena, begin, stop)
        if found == begin:
            break
        ids[last] = identity
        node, begin, last = rule[CONTINUING], found, last + 1
    if begin == stop:
        return last
    ids[written] = rule[UNKNOWN]
    return written + 1 if rule[UNKNOWN] >= 0 else -1


@kernel
def suspicion(arena: NDArray[np.uint8], begin: int, stop: int, added: NDArray[np.uint8]) -> int:
    """Return whether a word may be part of an added token: 0, `CHECKED`, or `LEFT` for a normalized token."""
    mark, place = 0, 0
    while place < added.size:
        kind, length = number(added, place), number(added, place + 1) | (number(added, place + 2) << 8)
        place += 3
        if kind & LITERAL == 0 and length <= stop - begin:
            first = stop - length if kind & WORD_START == 0 and kind & WORD_END else begin
            last = begin + length if kind & WORD_START and kind & WORD_END == 0 else stop
            if kind & WORD_START and kind & WORD_END and length != stop - begin:
                last = first
            if contains(arena, first, last, added, place, length):
                mark = max(mark, LEFT if kind & NORMALIZED else CHECKED)
        place += length
    return mark


@kernel
def has_literal(data: NDArray[np.uint8], begin: int, stop: int, added: NDArray[np.uint8]) -> bool:
    """Return whether the text data[begin:stop] has an added token that is looked for before normalization."""
    place = 0
    while place < added.size:
        kind, length = number(added, place), number(added, place + 1) | (number(added, place + 2) << 8)
        place += 3
        if kind & LITERAL and contains(data, begin, stop, added, place, length):
            return True
        place += length
    return False


@kernel
def contains(data: NDArray[np.uint8], begin: int, stop: int, other: NDArray[np.uint8], place: int, length: int) -> bool:
    """Return whether data[begin:stop] contains other[place:place + length]."""
    for first in range(begin, stop - length + 1):
        index = 0
        while index < length and data[first + index] == other[place + index]:
            index += 1
        if index == length:
            return True
    return False

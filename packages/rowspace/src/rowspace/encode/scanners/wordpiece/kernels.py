"""The scan: UTF-8 → words as BERT's normalizer and splitter make them → ids.

A word is appended to those of the cache while it is read, and looked up there; when it is new, the vocabulary's trie
cuts it into the longest pieces.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.added.kernels import LEFT as TO_LIBRARY, SOME, id_of, length_of, look, next_added
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
from rowspace.encode.scanners.cache.word_cache import MAX_WORD, WordCache
from rowspace.encode.scanners.trie import longest_piece
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
from rowspace.encode.scanners.wordpiece.suspects import NORMALIZED, WORD_END, WORD_START
from rowspace.text.characters.kernels import code_at, number
from rowspace.text.words.kernels import write

__all__ = ["Model", "scan"]

UNKNOWN, CONTINUING, CHARACTERS = range(3)  # the items of `rule`
CHECKED, LEFT = 1, 2  # marks of a cached word: it may be part of an added token; its text is left to the library
CHARACTER_ROOM = 16  # more than the bytes that one character becomes
ASCII_NUMBERS = 0x80 << CLASS_BITS  # below, a character of a word is one byte


class Model(NamedTuple):
    """What the scan reads: `characters` of `character_numbers`, `trie` of `build_trie`, `suspects` of `word_records`.

    `rule`: the id of the unknown token or -1, the node from which continuing pieces go or -1, the most characters of a
    word.
    """

    characters: NDArray[np.int32]
    trie: NDArray[np.int64]
    rule: NDArray[np.int64]
    suspects: NDArray[np.uint8]


@kernel
def scan(
    data: NDArray[np.uint8],
    indptr: NDArray[np.int64],
    first: int,
    last: int,
    model_arrays: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]],
    added: NDArray[np.uint8],
    cache_arrays: tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]],
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> int:
    """Write the ids of texts first … last - 1 and where each text's ids end; return how many texts are left.

    The end e of a text that is left to the library, which has no ids, is written as -1 - e. There must be room for an
    id for each byte, and in `ends` for one more than texts. The tuples are those of `Model` and `WordCache`: Numba
    takes 2 µs longer to read named ones, which a single short text would notice.
    """
    model, cache = Model(*model_arrays), WordCache(*cache_arrays)
    written, leaving = 0, 0
    ends[0] = 0
    for text in range(first, last):
        start, begin, end = written, indptr[text], indptr[text + 1]
        written, verdict = scan_span(data, (begin, end), model, cache, ids, start)
        if verdict == CHECKED:
            holds = look(data, begin, end, added)
            if holds == SOME:
                written, verdict = scan_around(data, (begin, end), model, added, cache, ids, start)
            verdict = LEFT if holds == TO_LIBRARY else verdict
        if verdict >= LEFT:
            written = start
            leaving += 1
            ends[text - first + 1] = -1 - written
        else:
            ends[text - first + 1] = written
    return leaving


@kernel
def scan_around(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    model: Model,
    added: NDArray[np.uint8],
    cache: WordCache,
    ids: NDArray[np.int32],
    written: int,
) -> tuple[int, int]:
    """Write the ids of a text with added tokens to ids[written:]; return where they end, and the mark of its words."""
    begin, end = span
    marks = 0
    while begin < end:
        stop, token = next_added(data, begin, end, added)
        written, mark = scan_span(data, (begin, stop), model, cache, ids, written)
        marks |= mark
        begin = stop
        if token >= 0:
            ids[written] = id_of(added, token)
            written += 1
            begin += length_of(added, token)
    return written, marks


@kernel
def scan_span(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    model: Model,
    cache: WordCache,
    ids: NDArray[np.int32],
    written: int,
) -> tuple[int, int]:
    """Write the ids of a text without added tokens to ids[written:]; return where they end, and the mark of its words.

    When a word is to be left to the library, the rest is not read.
    """
    slots, arena, pool, used = cache
    characters = model.characters
    position, end = span
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
                written, mark = cut_word(begin, stop, model, cache, ids, written, slot, key)
                verdict |= mark
            elif key < LONG and is_one_id(slots, slot):
                ids[written] = slots[slot, VALUE] & LOW
                written += 1
            else:
                written = copy_ids(slots, pool, slot, ids, written)
                verdict |= mark_of(slots, slot)
    return written, verdict


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
    stop, limit = begin, begin + MAX_WORD - CHARACTER_ROOM
    while position < end and stop <= limit:
        byte, width = number(data, position), 1
        if byte < 0x80:
            value = int(characters[byte])
        else:
            code, width = code_at(data, position)
            value = int(characters[code])
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
def cut_word(
    begin: int,
    stop: int,
    model: Model,
    cache: WordCache,
    ids: NDArray[np.int32],
    written: int,
    slot: int,
    key: int,
) -> tuple[int, int]:
    """Write the ids of the new word arena[begin:stop] and keep it; return where they end, and the word's mark."""
    arena = cache.arena
    last = longest_pieces(arena, begin, stop, model.trie, model.rule, ids, written)
    mark = LEFT if last < 0 else suspicion(arena, begin, stop, model.suspects)
    last = max(last, written)
    insert(cache, slot, key, arena[begin:stop], ids[written:last], mark)
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
def suspicion(arena: NDArray[np.uint8], begin: int, stop: int, suspects: NDArray[np.uint8]) -> int:
    """Return whether a word may be part of an added token: 0, `CHECKED`, or `LEFT` for a normalized token."""
    mark, place = 0, 0
    while place < suspects.size:
        kind, length = number(suspects, place), number(suspects, place + 1) | (number(suspects, place + 2) << 8)
        place += 3
        if length <= stop - begin:
            first = stop - length if kind & WORD_START == 0 and kind & WORD_END else begin
            last = begin + length if kind & WORD_START and kind & WORD_END == 0 else stop
            if kind & WORD_START and kind & WORD_END and length != stop - begin:
                last = first
            if contains(arena, first, last, suspects, place, length):
                mark = max(mark, LEFT if kind & NORMALIZED else CHECKED)
        place += length
    return mark


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

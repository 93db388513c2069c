"""A text → units that no merge crosses; a unit → its first symbols.

The blank, U+0020, represents `▁`, U+2581, by which the tokenizer replaces it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.bpe.kernels.eight_bytes import letters_at, load
from rowspace.encode.scanners.bpe.kernels.merge import HASH_MASK, pair_slot
from rowspace.text.characters.kernels import code_at, number

__all__ = ["BLANK", "MARK", "Joins", "blank_width", "cut_unit", "end_of_letters", "enter_joins", "first_symbols"]

BLANK, MARK = 0x20, 0x2581
EIGHT = 8  # letters in eight bytes, so that there may be more


class Joins(NamedTuple):
    """Which neighboring characters a merge may join: the last one of its left part, and the first of its right part.

    `ascii` bool (16384,): of two characters of ASCII, the first times 128; of two letters it is always true. `others`
    int64 (2^k,): a hash table with open addresses of other pairs, 0 if free, else first << 32 | second.
    """

    ascii: NDArray[np.bool_]
    others: NDArray[np.int64]


@kernel
def cut_unit(data: NDArray[np.uint8], position: int, end: int, after_blank: bool, joins: Joins) -> int:
    """Return where the unit that begins at `position` stops, before characters that no merge joins.

    Eight bytes follow `end`.
    """
    before = BLANK
    if not after_blank and position < end:
        before, width = character_at(data, position)
        position += width
    while position < end:
        code, width = character_at(data, position)
        if not is_joined(before, code, joins):
            return position
        position += width
        if code < 0x80 and letters_at(load(data, position - 1)) > 1:
            position = end_of_letters(data, position, end)
            code = number(data, position - 1)
        before = code
    return end


@kernel
def end_of_letters(data: NDArray[np.uint8], position: int, end: int) -> int:
    """Return where the letters of ASCII stop, at most `end`."""
    while True:
        count = letters_at(load(data, position))
        position += count
        if count < EIGHT or position >= end:
            return min(position, end)


@kernel
def character_at(data: NDArray[np.uint8], position: int) -> tuple[int, int]:
    """Return the code point at `position`, `BLANK` for `MARK`, and its width."""
    if data[position] < 0x80:
        return number(data, position), 1
    code, width = code_at(data, position)
    return BLANK if code == MARK else code, width


@kernel
def blank_width(data: NDArray[np.uint8], position: int) -> int:
    """Return the width of the blank or mark at `position`, which three bytes follow; 0 for any other character."""
    if data[position] == BLANK:
        return 1
    is_mark = data[position] == 0xE2 and data[position + 1] == 0x96 and data[position + 2] == 0x81
    return 3 if is_mark else 0


@kernel
def is_joined(first: int, second: int, joins: Joins) -> bool:
    """Return whether a merge may join two characters."""
    if first < 0x80 and second < 0x80:
        return bool(joins.ascii[(first << 7) | second])
    key = (first << 32) | second
    slot = pair_slot(key, joins.others.size - 1)
    while joins.others[slot] != 0:
        if joins.others[slot] == key:
            return True
        slot = (slot + 1) & (joins.others.size - 1)
    return False


@kernel
def enter_joins(keys: NDArray[np.int64], joins: Joins) -> None:
    """Enter pairs of characters, first << 32 | second; there are at most half as many as slots."""
    for key in keys:
        first, second = key >> 32, key & HASH_MASK
        if first < 0x80 and second < 0x80:
            joins.ascii[(first << 7) | second] = True
        else:
            slot = pair_slot(key, joins.others.size - 1)
            while joins.others[slot] != 0 and joins.others[slot] != key:
                slot = (slot + 1) & (joins.others.size - 1)
            joins.others[slot] = key


@kernel
def first_symbols(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    after_blank: bool,
    characters: NDArray[np.int32],
    byte_ids: NDArray[np.int32],
    ids: NDArray[np.int32],
) -> int:
    """Write the id of each character of a unit, or the ids of its bytes if it is not a token; return how many."""
    position, end = span
    count = 0
    if after_blank:
        ids[0] = characters[BLANK]
        count = 1
    while position < end:
        code, width = character_at(data, position)
        if characters[code] >= 0:
            ids[count] = characters[code]
            count += 1
        else:
            for index in range(position, position + width):
                ids[count] = byte_ids[data[index]]
                count += 1
        position += width
    return count

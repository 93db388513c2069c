"""A text → the added tokens in it.

Strings to find are one array of bytes, which Numba reads faster than several: `FIRST` marks the bytes that begin them,
`PAIRS` their first two bytes, the first times 256, and for a string of one byte all pairs with it. At `HEADS` are the
number of bytes that begin strings, in two bytes, and these bytes; behind them are the records of the strings: length in
two bytes, id in four, or `TO_LIBRARY` if a text with it is left to the library, and the string.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import number

__all__ = ["LEFT", "NOTHING", "SOME", "id_of", "length_of", "look", "next_added"]

NOTHING, SOME, LEFT = range(3)  # a text holds no added token, holds some, or is left to the library
FIRST, PAIRS, HEADS = 0, 256, 256 + 65536
TO_LIBRARY = 0xFFFFFFFF
LENGTH_BYTES, ID_BYTES = 2, 4


@kernel
def look(data: NDArray[np.uint8], begin: int, end: int, added: NDArray[np.uint8]) -> int:
    """Return what data[begin:end] holds: `NOTHING`, `SOME` or `LEFT`."""
    possible = False
    for index in range(HEADS + LENGTH_BYTES, HEADS + LENGTH_BYTES + number_at(added, HEADS, LENGTH_BYTES)):
        head = added[index]
        for position in range(begin, end):  # this loop compares many bytes at a time
            possible |= data[position] == head
    return search(data, begin, end, added) if possible else NOTHING


@kernel
def search(data: NDArray[np.uint8], begin: int, end: int, added: NDArray[np.uint8]) -> int:
    """Return the same, byte by byte."""
    verdict = NOTHING
    for position in range(begin, end):
        record = first_record(added) if begins_string(data, position, end, added) else added.size
        while record < added.size:
            if matches(data, position, end, added, record):
                if id_of(added, record) == TO_LIBRARY:
                    return LEFT
                verdict = SOME
            record += LENGTH_BYTES + ID_BYTES + length_of(added, record)
    return verdict


@kernel
def next_added(data: NDArray[np.uint8], position: int, end: int, added: NDArray[np.uint8]) -> tuple[int, int]:
    """Return where the next added token begins, and the record of the longest there; `end` and -1 if there is none."""
    while position < end:
        best, longest = -1, 0
        record = first_record(added) if begins_string(data, position, end, added) else added.size
        while record < added.size:
            length = length_of(added, record)
            if length > longest and matches(data, position, end, added, record):
                best, longest = record, length
            record += LENGTH_BYTES + ID_BYTES + length
        if best >= 0:
            return position, best
        position += 1
    return end, -1


@kernel
def begins_string(data: NDArray[np.uint8], position: int, end: int, added: NDArray[np.uint8]) -> bool:
    """Return whether the two bytes at `position` begin a string."""
    if added[FIRST + number(data, position)] == 0:
        return False
    following = number(data, position + 1) if position + 1 < end else 0
    return bool(added[PAIRS + number(data, position) * 256 + following] != 0)


@kernel
def matches(data: NDArray[np.uint8], position: int, end: int, added: NDArray[np.uint8], record: int) -> bool:
    """Return whether the string of a record is at `position`."""
    begin, length, index = record + LENGTH_BYTES + ID_BYTES, length_of(added, record), 0
    if position + length > end:
        return False
    while index < length and data[position + index] == added[begin + index]:
        index += 1
    return bool(index == length)


@kernel
def length_of(added: NDArray[np.uint8], record: int) -> int:
    """Return the number of bytes of a string."""
    return number_at(added, record, LENGTH_BYTES)


@kernel
def id_of(added: NDArray[np.uint8], record: int) -> int:
    """Return the id of a token, or `TO_LIBRARY`."""
    return number_at(added, record + LENGTH_BYTES, ID_BYTES)


@kernel
def first_record(added: NDArray[np.uint8]) -> int:
    """Return where the records begin."""
    return HEADS + LENGTH_BYTES + number_at(added, HEADS, LENGTH_BYTES)


@kernel
def number_at(added: NDArray[np.uint8], place: int, size: int) -> int:
    """Return a number of some bytes, the lowest first."""
    value = 0
    for index in range(size):
        value |= number(added, place + index) << (8 * index)
    return value

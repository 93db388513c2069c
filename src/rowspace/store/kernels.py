"""Loops over words in the bytes of a file: plain functions on arrays, compiled, run by several threads."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["ENTRY", "copy_rows", "find_entries", "find_words", "join_words"]

NEWLINE, BLANK = 10, 32
ENTRY = 9  # bytes after a word and its NUL in fastText's dictionary: a count, and whether it is a label


@kernel
def find_words(
    data: NDArray[np.uint8], place: int, width: int, max_length: int, places: NDArray[np.int64]
) -> tuple[int, int]:
    """Follow word2vec's binary records from `place`: word, blank, row of `width` bytes, and so on.

    Writes where each word begins, newlines before it left out, and ends, (V, 2). Returns how many records
    are whole, and where the one after them begins.
    """
    for number in range(places.shape[0]):
        blank = place
        last = min(place + max_length + 2, data.size)
        while blank < last and data[blank] != BLANK:
            blank += 1
        if blank == last or blank + width >= data.size:
            return number, place
        while data[place] == NEWLINE:
            place += 1
        places[number, 0] = place
        places[number, 1] = blank
        place = blank + 1 + width
    return places.shape[0], place


@kernel
def find_entries(
    data: NDArray[np.uint8], place: int, max_length: int, places: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[int, int]:
    """Follow the entries of fastText's dictionary from `place`: word, NUL, count, kind.

    Returns how many are whole, and where the one after them begins.
    """
    for number in range(places.shape[0]):
        end = place
        last = min(place + max_length + 1, data.size - ENTRY)
        while end < last and data[end] != 0:
            end += 1
        if end >= last:
            return number, place
        places[number, 0], places[number, 1] = place, end
        count = np.uint64(0)
        for byte in range(8):
            count |= np.uint64(data[end + 1 + byte]) << np.uint64(8 * byte)
        counts[number] = np.int64(count)
        place = end + 1 + ENTRY
    return places.shape[0], place


@kernel
def copy_rows(data: NDArray[np.uint8], places: NDArray[np.int64], rows: NDArray[np.uint8]) -> None:
    """Copy the rows (V, bytes) that begin one byte after the words at `places`."""
    for number in range(places.shape[0]):
        begin = places[number, 1] + 1
        source, target = data[begin : begin + rows.shape[1]], rows[number]
        for column in range(target.size):  # over slices: their indices need no check, and the loop becomes wide
            target[column] = source[column]


@kernel
def join_words(data: NDArray[np.uint8], places: NDArray[np.int64], joined: NDArray[np.uint8]) -> None:
    """Copy the words at `places` into `joined`, each with a newline after it."""
    written = 0
    for number in range(places.shape[0]):
        for place in range(places[number, 0], places[number, 1]):
            joined[written] = data[place]
            written += 1
        joined[written] = NEWLINE
        written += 1

"""Loops over words in the bytes of a file: plain functions on arrays, compiled, run by several threads."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["ENTRY", "copy_rows", "find_entries", "find_suspects", "find_words", "has_odd_number", "join_words"]

NEWLINE, BLANK, DELETE = 10, 32, 127
CONTINUED, LEADING = 0x80, 0xC0  # bytes from the one to the other continue a character of UTF-8
MIN_EXPONENT, MAX_EXPONENT = 127 - 60, 127 + 60  # of float32: numbers from 2^-60 to 2^60, as vectors have
ENTRY = 9  # bytes after a word and its NUL in fastText's dictionary: a count, and whether it is a label


@kernel
def find_words(
    data: NDArray[np.uint8], place: int, width: int, max_length: int, places: NDArray[np.int64]
) -> tuple[int, int, bool]:
    """Follow word2vec's binary records from `place`: word, blank, row of `width` bytes, and so on.

    A newline ends each record if it ends the first one, and is not part of a word. Writes where each word begins and
    ends, (V, 2). Returns how many records are whole, where the one after them begins, and whether a newline is missing
    there or is within its word.
    """
    ends_lines = False
    for number in range(places.shape[0]):
        if number == 1:
            ends_lines = place < data.size and data[place] == NEWLINE
        begin = place
        if ends_lines and place < data.size:
            if data[place] != NEWLINE:
                return number, place, True
            begin += 1
        blank = begin
        last = min(begin + max_length + 1, data.size)
        while blank < last and data[blank] != BLANK and data[blank] != NEWLINE:
            blank += 1
        if blank < last and data[blank] == NEWLINE:
            return number, place, True
        if blank == last or blank + width >= data.size:
            return number, place, False
        places[number, 0] = begin
        places[number, 1] = blank
        place = blank + 1 + width
    return places.shape[0], place, False


@kernel
def find_suspects(data: NDArray[np.uint8], places: NDArray[np.int64], width: int, suspects: NDArray[np.bool_]) -> None:
    """Mark the first n words at `places`, (n, 2) or one more, after which a row that seems shifted begins as text.

    It seems so if a number is far from all that vectors hold, or if the next word is not text.
    """
    for number in range(suspects.size):
        row = data[places[number, 1] + 1 : places[number, 1] + 1 + width]
        is_odd = has_odd_number(row)
        if number + 1 < places.shape[0] and not is_odd:
            word = data[places[number + 1, 0] : places[number + 1, 1]]
            is_odd = word.size > 0 and (CONTINUED <= word[0] < LEADING or text_size(word) < word.size)
        size = text_size(row) if is_odd else row.size
        suspects[number] = size < row.size and row[size] == BLANK


@kernel
def text_size(data: NDArray[np.uint8]) -> int:
    """Return how many bytes come before the first blank or control character."""
    size = 0
    while size < data.size and data[size] > BLANK and data[size] != DELETE:
        size += 1
    return size


@kernel
def has_odd_number(row: NDArray[np.uint8]) -> bool:
    """Whether the bytes of a row of float32 hold one that is not 0, nor from about 1e-18 to 1e18."""
    for place in range(0, row.size, 4):
        exponent = (int(row[place + 3]) & 127) << 1 | int(row[place + 2]) >> 7
        if exponent > MAX_EXPONENT:
            return True
        if exponent < MIN_EXPONENT and (row[place] | row[place + 1] | row[place + 2] | (row[place + 3] & 127)) != 0:
            return True
    return False


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

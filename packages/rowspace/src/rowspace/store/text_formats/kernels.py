"""Lines of text → numbers: plain functions on the bytes of a file, compiled, run by several threads.

A float64 that is known to within a few units of its last place settles the nearest float32, unless it is that near to
the middle between two of them: so both edges of what it may be are rounded, and where they agree that is the float32,
exactly. Where they do not, once in some ten million random numbers, or where a field looks unusual, it is left to
Python's `float`.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["MIN_POWER", "POWERS", "find_lines", "nearest", "parse_rows"]

TAB, NEWLINE, RETURN, BLANK = 9, 10, 13, 32
PLUS, MINUS, POINT, ZERO, NINE = 43, 45, 46, 48, 57
LOWER_CASE, LETTER_E = 32, 101

MIN_POWER, MAX_POWER = -80, 60  # the powers of ten below, which reach from 18 digits of 1e-45 to beyond 3e38
POWERS = np.array([float(f"1e{exponent}") for exponent in range(MIN_POWER, MAX_POWER + 1)])
ROOM = 10**17  # a mantissa below this takes one more digit; what follows its 18th moves it by 1e-17 of itself
# Mantissa, power of ten and their product are rounded once each, to within 2^-53: these edges lie far outside.
BELOW, ABOVE = 1 - 2.0**-49, 1 + 2.0**-49
NEGATIVE_ZERO = np.float32(-0.0)


@kernel
def find_lines(data: NDArray[np.uint8], begin: int, end: int, limit: int, lines: NDArray[np.int64]) -> int:
    """Write where the first lines in data[begin:end] that hold anything begin and end, (n, 2).

    Returns how many there are, no more than `limit`; where `lines` has no room for them they are only counted.
    """
    count = 0
    while begin < end and count < limit:
        stop = begin
        while stop < end and data[stop] != NEWLINE:
            stop += 1
        last = stop - 1 if stop > begin and data[stop - 1] == RETURN else stop
        if last > begin:
            if count < lines.shape[0]:
                lines[count, 0] = begin
                lines[count, 1] = last
            count += 1
        begin = stop + 1
    return count


@kernel
def parse_rows(
    data: NDArray[np.uint8],
    lines: NDArray[np.int64],
    first: int,
    has_words: bool,
    rows: NDArray[np.float32],
    odd: NDArray[np.int64],
) -> tuple[int, int, bool]:
    """Read the last D fields of each line from number `first` on into its row of (n, D).

    Where lines have words, the end of each becomes the end of its word. Fields that Python should look at go
    to `odd`, (m, 4), m >= D: line, column, begin, end. Returns the line that stopped it, how many are odd, and
    whether that line has another number of fields; or else there was no room for more odd ones.
    """
    dim, found = rows.shape[1], 0
    for number in range(first, lines.shape[0]):
        if found + dim > odd.shape[0]:
            return number, found, False
        end = last_field(data, lines[number, 0], lines[number, 1])
        place = lines[number, 0]
        if has_words:
            place, lines[number, 1] = first_field(data, place, end, dim)
        for column in range(dim):
            while place >= 0 and place < end and is_between(data[place]):
                place += 1
            if place < 0 or place == end:
                return number, found, True
            begin = place
            value, place, is_known = parse_number(data, begin, end)
            rows[number, column] = value
            if not is_known:
                while place < end and not is_between(data[place]):
                    place += 1
                odd[found, 0] = number
                odd[found, 1] = column
                odd[found, 2] = begin
                odd[found, 3] = place
                found += 1
        if place < end:
            return number, found, True
    return lines.shape[0], found, False


@kernel
def is_between(byte: np.uint8) -> bool:
    """Whether the byte separates fields."""
    return byte in (BLANK, TAB)


@kernel
def last_field(data: NDArray[np.uint8], begin: int, end: int) -> int:
    """Return where the last field of a line ends."""
    while end > begin and (is_between(data[end - 1]) or data[end - 1] == RETURN):
        end -= 1
    return end


@kernel
def first_field(data: NDArray[np.uint8], begin: int, end: int, dim: int) -> tuple[int, int]:
    """Return where the last `dim` fields of a line begin, or -1 if there is no word before them, and where it ends."""
    separators = 0
    for byte in data[begin:end]:
        separators += is_between(byte)
    if separators == dim:  # no blank in the word, and single ones after it, as in nearly all lines
        while not is_between(data[begin]):
            begin += 1
        return begin + 1, begin
    place = start = end
    for _ in range(dim):
        while place > begin and not is_between(data[place - 1]):
            place -= 1
        start = place
        if start == begin:
            return -1, begin
        while place > begin and is_between(data[place - 1]):
            place -= 1
    return start, (place if place > begin else start - 1)  # a word of blanks alone keeps them


@kernel
def parse_number(data: NDArray[np.uint8], place: int, end: int) -> tuple[np.float32, int, bool]:
    """Read the field at `place`: its float32, where reading ended, and whether that is the number for certain."""
    is_negative = data[place] == MINUS
    if is_negative or data[place] == PLUS:
        place += 1
    mantissa, exponent, begin = 0, 0, place
    while place < end and ZERO <= data[place] <= NINE:
        if mantissa < ROOM:
            mantissa = 10 * mantissa + int(np.int64(data[place])) - ZERO
        else:
            exponent += 1
        place += 1
    digits = place - begin
    if place < end and data[place] == POINT:
        place += 1
        begin = place
        while place < end and ZERO <= data[place] <= NINE:
            if mantissa < ROOM:
                mantissa = 10 * mantissa + int(np.int64(data[place])) - ZERO
                exponent -= 1
            place += 1
        digits += place - begin
    if digits > 0 and place < end and data[place] | LOWER_CASE == LETTER_E:
        power, place, digits = parse_exponent(data, place + 1, end)
        exponent += power
    value, is_known = nearest(mantissa, exponent)
    if is_negative:
        value = NEGATIVE_ZERO if value == 0 else -value
    return value, place, is_known and digits > 0 and (place == end or is_between(data[place]))


@kernel
def parse_exponent(data: NDArray[np.uint8], place: int, end: int) -> tuple[int, int, int]:
    """Read what follows the E of a number: its value, where it ends, how many digits it has."""
    is_negative = place < end and data[place] == MINUS
    if is_negative or (place < end and data[place] == PLUS):
        place += 1
    power, begin = 0, place
    while place < end and ZERO <= data[place] <= NINE:
        power = min(10 * power + int(np.int64(data[place])) - ZERO, ROOM)
        place += 1
    return -power if is_negative else power, place, place - begin


@kernel
def nearest(mantissa: int, exponent: int) -> tuple[np.float32, bool]:
    """Return the float32 nearest to mantissa · 10^exponent, mantissa < 10^18, and whether that is certain."""
    if mantissa == 0:
        return np.float32(0), True
    if exponent < MIN_POWER or exponent > MAX_POWER:
        return np.float32(0), False
    value = np.float64(mantissa) * POWERS[exponent - MIN_POWER]
    low, high = np.float32(value * BELOW), np.float32(value * ABOVE)
    return low, low == high

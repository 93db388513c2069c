"""The loops of the readers and writers: plain functions on the bytes of a file, compiled, run by several threads.

Numbers become text and text becomes numbers by one idea. A float64 that is known to within a few units of
its last place settles the nearest float32, unless it lies that near to the middle between two of them: so
both edges of what it may be are rounded, and where they agree that is the float32, exactly. Where they do
not, once in some ten million random numbers, or where a field looks unusual, it is left to Python's `float`.
Left out: errors, which are told from the places returned here. Read next: `word2vec.py`, `textrows.py`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["ENTRY", "copy_rows", "find_entries", "find_lines", "find_words", "join_words", "parse_rows", "print_rows"]

TAB, NEWLINE, RETURN, BLANK = 9, 10, 13, 32
PLUS, MINUS, POINT, ZERO, NINE = 43, 45, 46, 48, 57
LOWER_CASE, LETTER_E = 32, 101

LEAST, MOST = -80, 60  # the powers of ten below, which reach from 18 digits of 1e-45 to beyond 3e38
POWERS = np.array([float(f"1e{exponent}") for exponent in range(LEAST, MOST + 1)])
TENS = 10 ** np.arange(19)
ROOM = 10**17  # a mantissa below this takes one more digit; what lies behind its 18th moves it by 1e-17 of itself
# Mantissa, power of ten and their product are rounded once each, to within 2^-53: these edges lie far outside.
BELOW, ABOVE = 1 - 2.0**-49, 1 + 2.0**-49
LOG_10_OF_2 = math.log10(2)
NEGATIVE_ZERO = np.float32(-0.0)
ENTRY = 9  # bytes after a word and its NUL in fastText's dictionary: a count, and whether it is a label
DECIMALS = 9  # digits that tell any two float32 apart
WIDEST = 16  # bytes of one printed number, at most: "-1.23456789e-38" and a blank
FIXED_FROM, FIXED_BELOW = 1e-4, 1e6  # between them numpy 2.4 prints a float32 without an exponent


@kernel
def find_words(
    data: NDArray[np.uint8], place: int, width: int, longest: int, places: NDArray[np.int64]
) -> tuple[int, int]:
    """Follow word2vec's binary records from `place`: word, blank, row of `width` bytes, and so on.

    Writes where each word begins, newlines before it left out, and ends, (V, 2). Returns how many records
    are whole, and where the one after them begins.
    """
    for number in range(places.shape[0]):
        blank = place
        last = min(place + longest + 2, data.size)
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
    data: NDArray[np.uint8], place: int, longest: int, places: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[int, int]:
    """Follow the entries of fastText's dictionary from `place`: word, NUL, count, kind.

    Returns how many are whole, and where the one after them begins.
    """
    for number in range(places.shape[0]):
        end = place
        last = min(place + longest + 1, data.size - ENTRY)
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
    """Copy the rows (V, bytes) that stand one byte behind the words at `places`."""
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


@kernel
def find_lines(data: NDArray[np.uint8], begin: int, end: int, most: int, lines: NDArray[np.int64]) -> int:
    """Write where the first lines in data[begin:end] that hold anything begin and end, (n, 2).

    Returns how many there are, no more than `most`; where `lines` has no room for them they are only counted.
    """
    count = 0
    while begin < end and count < most:
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
            place = first_field(data, place, end, dim)
            lines[number, 1] = place - 1
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
    """Whether the byte stands between fields."""
    return byte in (BLANK, TAB)


@kernel
def last_field(data: NDArray[np.uint8], begin: int, end: int) -> int:
    """Return where the last field of a line ends."""
    while end > begin and (is_between(data[end - 1]) or data[end - 1] == RETURN):
        end -= 1
    return end


@kernel
def first_field(data: NDArray[np.uint8], begin: int, end: int, dim: int) -> int:
    """Return where the last `dim` fields of a line begin, or -1 where no word is before them."""
    separators = 0
    for byte in data[begin:end]:
        separators += is_between(byte)
    if separators == dim:  # no blank in the word, and single ones behind it: as in nearly all lines
        while not is_between(data[begin]):
            begin += 1
        return begin + 1
    place = start = end
    for _ in range(dim):
        while place > begin and not is_between(data[place - 1]):
            place -= 1
        start = place
        if start == begin:
            return -1
        while place > begin and is_between(data[place - 1]):
            place -= 1
    return start


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
    """Read what stands behind the E of a number: its value, where it ends, how many digits it has."""
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
    if exponent < LEAST or exponent > MOST:
        return np.float32(0), False
    value = np.float64(mantissa) * POWERS[exponent - LEAST]
    low, high = np.float32(value * BELOW), np.float32(value * ABOVE)
    return low, low == high


@kernel
def print_rows(
    words: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.float32], text: NDArray[np.uint8]
) -> int:
    """Write a line for each row (n, D): word i, which is words[offsets[i]:offsets[i + 1] - 1], and D numbers.

    There must be room for the words, a newline each, and `WIDEST` bytes a number. Returns how many are written.
    """
    bits = rows.view(np.uint32)
    place = 0
    for number in range(rows.shape[0]):
        for byte in words[offsets[number] : offsets[number + 1] - 1]:
            text[place] = byte
            place += 1
        for column in range(rows.shape[1]):
            text[place] = BLANK
            place = print_number(rows[number, column], bits[number, column] >> 31 != 0, text, place + 1)
        text[place] = NEWLINE
        place += 1
    return place


@kernel
def print_number(value: np.float32, is_negative: bool, text: NDArray[np.uint8], place: int) -> int:
    """Write the shortest digits that read back to `value`, as numpy prints it; return where they end."""
    if np.isnan(value):
        return put(text, place, 110, 97, 110)
    if is_negative:
        text[place] = MINUS
        place += 1
    exact = abs(np.float64(value))
    if exact == 0:
        return put(text, place, ZERO, POINT, ZERO)
    if exact == np.inf:
        return put(text, place, 105, 110, 102)
    digits, count, exponent = shortest(exact)
    if exact < FIXED_FROM or exact >= FIXED_BELOW:
        place = put_fixed(text, place, digits, count, 0, False)
        return put_exponent(text, place, exponent)
    return put_fixed(text, place, digits, count, exponent, True)


@kernel
def shortest(exact: float) -> tuple[int, int, int]:
    """Return the fewest decimals that read back to a float32, their count, and the power of ten of the first."""
    exponent = math.floor((math.frexp(exact)[1] - 1) * LOG_10_OF_2)
    if exact >= POWERS[exponent + 1 - LEAST]:
        exponent += 1
    digits, count = 0, 0
    while count < DECIMALS:
        count += 1
        digits = int(np.rint(exact * POWERS[count - 1 - exponent - LEAST]))
        value, is_known = nearest(digits, exponent + 1 - count)
        if is_known and value == exact:
            break
    if digits == TENS[count]:  # 9.9999997e-06 is 1e-05
        return digits // 10, count, exponent + 1
    return digits, count, exponent


@kernel
def put(text: NDArray[np.uint8], place: int, first: int, second: int, third: int) -> int:
    """Write three bytes."""
    text[place] = first
    text[place + 1] = second
    text[place + 2] = third
    return place + 3


@kernel
def put_digits(text: NDArray[np.uint8], place: int, digits: int, count: int) -> int:
    """Write the last `count` decimals of `digits`."""
    for back in range(count):
        text[place + count - 1 - back] = ZERO + digits % 10
        digits //= 10
    return place + count


@kernel
def put_fixed(
    text: NDArray[np.uint8], place: int, digits: int, count: int, exponent: int, ends_in_fraction: bool
) -> int:
    """Write `count` decimals, the first of which stands for 10^exponent, with a point among, before or after them."""
    behind = max(0, count - 1 - exponent)
    whole = digits // TENS[behind] * TENS[max(0, exponent + 1 - count)]
    place = put_digits(text, place, whole, max(1, exponent + 1))
    if behind == 0 and not ends_in_fraction:
        return place
    text[place] = POINT
    return put_digits(text, place + 1, digits if behind > 0 else 0, max(1, behind))


@kernel
def put_exponent(text: NDArray[np.uint8], place: int, exponent: int) -> int:
    """Write e, a sign, and two digits."""
    text[place] = LETTER_E
    text[place + 1] = MINUS if exponent < 0 else PLUS
    return put_digits(text, place + 2, abs(exponent), 2)

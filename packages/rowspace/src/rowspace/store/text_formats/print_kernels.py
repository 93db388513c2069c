"""Numbers → lines of text, each number as the shortest decimal that reads back to the same float32."""

import math

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.store.text_formats.kernels import MIN_POWER, POWERS, nearest

__all__ = ["MAX_NUMBER_BYTES", "print_numbers", "print_rows"]

NEWLINE, BLANK, COMMA, PLUS, MINUS, POINT, ZERO, LETTER_E = 10, 32, 44, 43, 45, 46, 48, 101
TENS = 10 ** np.arange(19)
LOG_10_OF_2 = math.log10(2)
DECIMALS = 9  # digits that tell any two float32 apart
MAX_NUMBER_BYTES = 16  # bytes of one printed number, at most: "-1.23456789e-38" and a blank
FIXED_FROM, FIXED_BELOW = 1e-4, 1e6  # between them numpy 2.4 prints a float32 without an exponent


@kernel
def print_rows(
    words: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.float32], text: NDArray[np.uint8]
) -> int:
    """Write a line for each row (n, D): word i, which is words[offsets[i]:offsets[i + 1] - 1], and D numbers.

    `text` must have room for the words, a newline each, and `MAX_NUMBER_BYTES` a number. Returns how many are written.
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
def print_numbers(values: NDArray[np.float32], text: NDArray[np.uint8]) -> int:
    """Write numbers (n,) with commas between them; return how many bytes are written.

    `text` must have room for `MAX_NUMBER_BYTES` a number.
    """
    bits = values.view(np.uint32)
    place = 0
    for number in range(values.shape[0]):
        if number > 0:
            text[place] = COMMA
            place += 1
        place = print_number(values[number], bits[number] >> 31 != 0, text, place)
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
    if exact >= POWERS[exponent + 1 - MIN_POWER]:
        exponent += 1
    digits, count = 0, 0
    while count < DECIMALS:
        count += 1
        digits = int(np.rint(exact * POWERS[count - 1 - exponent - MIN_POWER]))
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
    """Write `count` decimals, the first of which counts 10^exponent, with a point among, before or after them."""
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

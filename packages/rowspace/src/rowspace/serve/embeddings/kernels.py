"""Numba kernels: float32 → JSON numbers. They write nine significant digits, which identify every float32.

Source of the number of digits: Goldberg, 1991, "What every computer scientist should know about floating-point
arithmetic", theorem 15.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["MAX_NUMBER_BYTES", "write_floats"]

MAX_NUMBER_BYTES = 18
"""Most bytes of a number and the comma after it."""

POWERS = 10.0 ** np.arange(
    -31, 55
)  # POWERS[31 + n] is 10^n: from those of the largest to those of the smallest float32
ZERO_POWER = 31
TENS = 10 ** np.arange(10)
COMMA, MINUS, POINT, DIGIT_0, LETTER_E = 44, 45, 46, 48, 101

Bytes = NDArray[np.uint8]


@kernel
def write_floats(values: NDArray[np.float32], out: Bytes) -> int:
    """Write finite numbers as JSON, separated by commas, and return how many bytes were written.

    A number that is read as float64 and rounded to float32 is the same number, also -0.0.

    Args:
        values: (n,) float32, finite.
        out: At least (n * MAX_NUMBER_BYTES,).
    """
    at = 0
    for index in range(values.size):
        if index > 0:
            out[at] = COMMA
            at += 1
        at = _write_float(float(values[index]), out, at)
    return at


@kernel
def _write_float(value: float, out: Bytes, at: int) -> int:
    """Write a number at `at`, and return where it ends."""
    if math.copysign(1.0, value) < 0.0:
        out[at] = MINUS
        at += 1
        value = -value
    if value == 0.0:
        return _write_digits(0, 1, out, _write_point(_write_digits(0, 1, out, at), out))
    digits, exponent = _decimal(value)
    count = 9
    while digits % 10 == 0:
        digits //= 10
        count -= 1
    if exponent < -5 or exponent > 8:
        return _write_scientific(digits, count, exponent, out, at)
    if exponent < 0:
        at = _write_point(_write_digits(0, 1, out, at), out)
        return _write_digits(digits, count - exponent - 1, out, at)
    decimals = max(count - exponent - 1, 1)
    digits *= TENS[decimals - (count - exponent - 1)]
    at = _write_point(_write_digits(digits // TENS[decimals], exponent + 1, out, at), out)
    return _write_digits(digits % TENS[decimals], decimals, out, at)


@kernel
def _decimal(value: float) -> Any:
    """Return digits from 10^8 to 10^9 - 1 and an exponent: `value` is about digits × 10^(exponent - 8)."""
    exponent = math.floor(math.log10(value))
    digits = int(np.rint(value * POWERS[ZERO_POWER + 8 - exponent]))
    if digits >= 1_000_000_000:  # rounded up, or the logarithm was
        exponent += 1
        digits = int(np.rint(value * POWERS[ZERO_POWER + 8 - exponent]))
    elif digits < 100_000_000:
        exponent -= 1
        digits = int(np.rint(value * POWERS[ZERO_POWER + 8 - exponent]))
    return digits, exponent


@kernel
def _write_scientific(digits: int, count: int, exponent: int, out: Bytes, at: int) -> int:
    at = _write_digits(digits // TENS[count - 1], 1, out, at)
    if count > 1:
        at = _write_digits(digits % TENS[count - 1], count - 1, out, _write_point(at, out))
    out[at] = LETTER_E
    at += 1
    if exponent < 0:
        out[at] = MINUS
        at += 1
    return _write_digits(abs(exponent), 2, out, at)


@kernel
def _write_digits(number: int, width: int, out: Bytes, at: int) -> int:
    """Write a number with `width` digits, zeros first."""
    for place in range(at + width - 1, at - 1, -1):
        out[place] = DIGIT_0 + number % 10
        number //= 10
    return at + width


@kernel
def _write_point(at: int, out: Bytes) -> int:
    out[at] = POINT
    return at + 1

"""UTF-8 bytes → characters: decoding, and the last position at which a text may be cut."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.table import BETWEEN, LINE_END

__all__ = ["BAD", "character", "code_at", "last_cut", "number"]

BAD = -1  # the scanner's number of bytes that are not UTF-8, next to those of table.py


@kernel
def last_cut(data: NDArray[np.uint8], characters: NDArray[np.int32]) -> int:
    """Return the last position for a cut, before a whole character that ends words, or 0."""
    for position in range(data.size - 1, 0, -1):
        if BETWEEN <= character(data, position, data.size, characters)[0] <= LINE_END:
            return position
    return 0


@kernel
def character(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> tuple[int, int]:
    """Return the scanner's number of the character at `position`, and its width in bytes."""
    if data[position] < 0x80:
        return int(characters[data[position]]), 1
    code, width = decode(data, position, end)
    value = int(characters[code]) if code >= 0 else BAD
    return value, width


@kernel
def decode(data: NDArray[np.uint8], position: int, end: int) -> tuple[int, int]:
    """Return a code point beyond ASCII and its width, or -1 and the width of what Python replaces with one U+FFFD.

    The latter is the longest start of a well-formed sequence (The Unicode Standard, table 3-7), or one byte.
    """
    code, width = -1, 1
    lead = number(data, position)
    if 0xC2 <= lead <= 0xF4:
        length = 2 + (lead >= 0xE0) + (lead >= 0xF0)
        low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80  # below, a shorter form exists
        high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF  # above, surrogates or no code point
        value = lead & (0x7F >> length)
        while width < length and position + width < end and low <= data[position + width] <= high:
            value = (value << 6) | (number(data, position + width) & 0x3F)
            low, high = 0x80, 0xBF
            width += 1
        if width == length:
            code = value
    return code, width


@kernel
def code_at(data: NDArray[np.uint8], position: int) -> tuple[int, int]:
    """Return the code point beyond ASCII at `position` of valid UTF-8, and its width."""
    lead = np.int64(data[position])
    width = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    code = lead & (0x7F >> width)
    for index in range(1, width):
        code = (code << 6) | (np.int64(data[position + index]) & 0x3F)
    return code, width  # type: ignore[return-value]  # an int to Numba


@kernel
def number(data: NDArray[np.uint8], position: int) -> int:
    """Return a byte as a signed number, since Numba converts mixed signed and unsigned operands to floats."""
    return np.int64(data[position])  # type: ignore[return-value]  # an int to Numba

"""Whether a text must be left to the library, because NFC may change one of its characters."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import code_at

__all__ = ["has_unsafe"]


@kernel
def has_unsafe(data: NDArray[np.uint8], begin: int, end: int, unsafe: NDArray[np.bool_]) -> bool:
    """Return whether data[begin:end] holds a character that `unsafe` marks; without marks it holds none."""
    possible = False
    if unsafe.size > 0:
        for position in range(begin, end):  # this loop compares many bytes at a time
            possible |= data[position] >= 0xC0
    if possible:
        for position in range(begin, end):
            if data[position] >= 0xC0 and unsafe[code_at(data, position)[0]]:
                return True
    return False

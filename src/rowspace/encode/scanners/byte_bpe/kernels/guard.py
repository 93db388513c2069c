"""A text → whether it has to be left to the library: it holds an added token, or a character that NFC may change."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.byte_bpe.kernels.cut import code_at

__all__ = ["Guard", "needs_library"]


class Guard(NamedTuple):
    """What a scanned text must not hold.

    `heads` uint8: the bytes that begin added tokens, which `first` (256,) bool marks. `pairs` (65536,) bool: the first
    two bytes of an added token, the first times 256; of a token of one byte, all pairs with it. `tokens` uint8: all
    added tokens, token i is tokens[indptr[i]:indptr[i + 1]]. `unsafe` bool: for every code point whether NFC may change
    it, or empty.
    """

    heads: NDArray[np.uint8]
    first: NDArray[np.bool_]
    pairs: NDArray[np.bool_]
    tokens: NDArray[np.uint8]
    indptr: NDArray[np.int64]
    unsafe: NDArray[np.bool_]


@kernel
def needs_library(data: NDArray[np.uint8], begin: int, end: int, guard: Guard) -> bool:
    """Return whether data[begin:end], which another byte follows, holds an added token or an unsafe character."""
    possible = False
    for number in guard.heads:  # each of these loops compares many bytes at a time
        for position in range(begin, end):
            possible |= data[position] == number
    if guard.unsafe.size > 0:
        for position in range(begin, end):
            possible |= data[position] >= 0xC0
    return possible and holds_any(data, begin, end, guard)


@kernel
def holds_any(data: NDArray[np.uint8], begin: int, end: int, guard: Guard) -> bool:
    """Return the same, character by character."""
    checks_characters = guard.unsafe.size > 0
    for position in range(begin, end):
        byte = data[position]
        if guard.first[byte]:
            pair = np.int64(byte) * 256 + np.int64(data[position + 1])
            if guard.pairs[pair] and has_token(data, position, end, guard):
                return True
        if byte >= 0xC0 and checks_characters and guard.unsafe[code_at(data, position)[0]]:
            return True
    return False


@kernel
def has_token(data: NDArray[np.uint8], position: int, end: int, guard: Guard) -> bool:
    """Return whether an added token begins at `position`."""
    for token in range(guard.indptr.size - 1):
        begin, length = guard.indptr[token], guard.indptr[token + 1] - guard.indptr[token]
        index = 0
        while index < length and position + index < end and data[position + index] == guard.tokens[begin + index]:
            index += 1
        if index == length:
            return True
    return False

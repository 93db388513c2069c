"""A cache of short pieces and their ids: bytes, length and ids of a piece take 32 bytes, half a cache line.

Each set has room for two pieces, the one that was added last in front; a third removes the older.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.bpe.kernels.eight_bytes import load

__all__ = ["MAX_IDS", "MAX_KEY", "Key", "key_of", "recall", "remember"]

MAX_KEY = 15  # bytes of a piece
MAX_IDS = 4
ENTRY = (
    4  # numbers of a piece in a set: bytes 0 … 7, bytes 8 … 14 and the length, ids 0 and 1 and their count, ids 2 and 3
)

LENGTH_SHIFT, COUNT_SHIFT, ID_SHIFT = np.uint64(56), np.uint64(48), np.uint64(24)
ID_MASK, HALF, HALF_MASK = np.uint64(0xFFFFFF), np.uint64(32), np.uint64(0xFFFFFFFF)
PRIMES = (np.uint64(0x9E3779B1), np.uint64(0x85EBCA77), np.uint64(0xC2B2AE3D), np.uint64(0x27D4EB2F))
MIX_SHIFT = np.uint64(29)
_ONES = [(1 << 8 * count) - 1 for count in range(9)]
LOW_MASKS = np.array([_ONES[min(length, 8)] for length in range(16)], np.uint64)
HIGH_MASKS = np.array([_ONES[max(length - 8, 0)] for length in range(16)], np.uint64)


class Key(NamedTuple):
    """A piece of at most `MAX_KEY` bytes: bytes 0 … 7, bytes 8 … 14 and the length, and the set it belongs to."""

    low: np.uint64
    high: np.uint64
    place: int


@kernel
def key_of(data: NDArray[np.uint8], begin: int, length: int, sets: int) -> Key:
    """Return the key of a piece, after which `data` has 16 bytes; the number of sets is a power of two."""
    low = load(data, begin) & LOW_MASKS[length]
    high = (load(data, begin + 8) & HIGH_MASKS[length]) | (np.uint64(length) << LENGTH_SHIFT)
    mixed = ((low & HALF_MASK) * PRIMES[0]) ^ ((low >> HALF) * PRIMES[1])
    mixed ^= ((high & HALF_MASK) * PRIMES[2]) ^ ((high >> HALF) * PRIMES[3])
    return Key(low, high, int(np.int64(mixed >> MIX_SHIFT)) & (sets - 1))


@kernel
def recall(memory: NDArray[np.uint64], key: Key, ids: NDArray[np.int32], written: int) -> int:
    """Write the ids of a piece to ids[written:], where there is room for four; return where they end, -1 if unknown."""
    place = key.place
    first = 0
    if memory[place, 0] != key.low or memory[place, 1] != key.high:
        first = ENTRY
        if memory[place, ENTRY] != key.low or memory[place, ENTRY + 1] != key.high:
            return -1
    front, back = memory[place, first + 2], memory[place, first + 3]
    ids[written] = np.int32(front & ID_MASK)
    count = int(np.int64(front >> COUNT_SHIFT))
    if count > 1:
        ids[written + 1] = np.int32((front >> ID_SHIFT) & ID_MASK)
        ids[written + 2] = np.int32(back & ID_MASK)
        ids[written + 3] = np.int32(back >> ID_SHIFT)
    return written + count


@kernel
def remember(memory: NDArray[np.uint64], key: Key, ids: NDArray[np.int32], span: tuple[int, int]) -> None:
    """Add a piece that is not in the memory, with ids[span[0]:span[1]], at most `MAX_IDS`."""
    place = key.place
    for index in range(ENTRY):
        memory[place, ENTRY + index] = memory[place, index]
    memory[place, 0], memory[place, 1] = key.low, key.high
    first, last = span
    front, back = np.uint64(last - first) << COUNT_SHIFT, np.uint64(0)
    for index in range(last - first):
        number = np.uint64(ids[first + index])
        if index < 2:
            front |= number << (ID_SHIFT * np.uint64(index))
        else:
            back |= number << (ID_SHIFT * np.uint64(index - 2))
    memory[place, 2], memory[place, 3] = front, back

"""Find the ids of a word by its bytes, and add a word.

`hash_step` is computed for each byte while a word is read, from `HASH_SEED`; then

    slot = find(slots, arena, data, begin, stop, hashed)
    if slots[slot, TAG] != 0:
        written = copy_ids(slots, pool, slot, ids, written)
    else:                                       # write the ids to ids[first:written], then
        insert(slots, arena, pool, used, slot, hashed, data, begin, stop, ids, first, written, 0)

The word may also be in the arena itself, at `used[BYTES]`, where there is always room for one more.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.cache.word_cache import LONGEST

__all__ = ["BYTES", "COUNT", "HASH_SEED", "TAG", "copy_ids", "find", "hash_step", "insert", "mark_of"]

# The columns of a slot. TAG: 0 in a free slot, else hash + 1. SPAN: where the bytes start in the arena, and below,
# 16 bits of length. COUNT: the caller's mark, and below, 16 bits of number of ids. FIRST: the id of a word that has
# one, else where its ids start in the pool.
TAG, SPAN, COUNT, FIRST = range(4)
WORDS, BYTES, IDS = range(3)  # the items of `used`
LOW_MASK = 0xFFFF

HASH_SEED, HASH_PRIME, HASH_MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF  # FNV-1a, 32 bits, in 64-bit numbers


@kernel
def hash_step(hashed: int, byte: int) -> int:
    """Return the hash after one more byte, which must be a signed number."""
    return ((hashed ^ byte) * HASH_PRIME) & HASH_MASK


@kernel
def find(
    slots: NDArray[np.int64],
    arena: NDArray[np.uint8],
    data: NDArray[np.uint8],
    begin: int,
    stop: int,
    hashed: int,
) -> int:
    """Return the slot of the word data[begin:stop], or the free slot that it would take."""
    mask, length = len(slots) - 1, stop - begin
    slot = (hashed ^ (hashed >> 15)) & mask
    while slots[slot, TAG] != 0:
        if slots[slot, TAG] == hashed + 1 and slots[slot, SPAN] & LOW_MASK == length:
            other = slots[slot, SPAN] >> 16
            index = 0
            while index < length and data[begin + index] == arena[other + index]:
                index += 1
            if index == length:
                break
        slot = (slot + 1) & mask
    return slot


@kernel
def copy_ids(
    slots: NDArray[np.int64],
    pool: NDArray[np.int32],
    slot: int,
    ids: NDArray[np.int32],
    written: int,
) -> int:
    """Write the ids of the word in `slot` to ids[written:]; return where they end."""
    count, first = int(slots[slot, COUNT] & LOW_MASK), int(slots[slot, FIRST])
    if count == 1:
        ids[written] = first
        return written + 1
    for index in range(count):
        ids[written + index] = pool[first + index]
    return written + count


@kernel
def mark_of(slots: NDArray[np.int64], slot: int) -> int:
    """Return the mark that the word in `slot` was added with."""
    return int(slots[slot, COUNT] >> 16)


@kernel
def insert(
    slots: NDArray[np.int64],
    arena: NDArray[np.uint8],
    pool: NDArray[np.int32],
    used: NDArray[np.int64],
    slot: int,
    hashed: int,
    data: NDArray[np.uint8],
    begin: int,
    stop: int,
    ids: NDArray[np.int32],
    first: int,
    last: int,
    mark: int,
) -> None:
    """Add the word data[begin:stop] with ids[first:last] and a mark ≥ 0, in the free slot that `find` returned.

    It has at most `LONGEST` bytes and ids. When the cache is full, all words are removed, also this one.
    """
    place = used[BYTES]
    for index in range(stop - begin):
        arena[place + index] = data[begin + index]
    slots[slot, TAG] = hashed + 1
    slots[slot, SPAN] = (place << 16) | (stop - begin)
    slots[slot, COUNT] = (mark << 16) | (last - first)
    slots[slot, FIRST] = used[IDS]
    if last - first == 1:
        slots[slot, FIRST] = ids[first]
    else:
        for index in range(last - first):
            pool[used[IDS] + index] = ids[first + index]
        used[IDS] += last - first
    used[WORDS] += 1
    used[BYTES] += stop - begin
    if 2 * used[WORDS] >= len(slots) or used[BYTES] > arena.size - LONGEST or used[IDS] > pool.size - LONGEST:
        slots[:, TAG] = 0
        used[:] = 0

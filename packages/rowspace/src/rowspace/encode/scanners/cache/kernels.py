"""Find the ids of a word by its bytes, and add a word.

    key = key_of(data, begin, stop)
    slot = find(slots, arena, pool, data, begin, stop, key)
    if slots[slot, KEY] != 0:
        written = copy_ids(slots, pool, slot, ids, written)
    else:                                       # write the ids to ids[first:written], then
        insert(cache, slot, key, data[begin:stop], ids[first:written], 0)

The word may also be in the arena itself, at `used[BYTES]`, where there is always room for one more. Most words have at
most 7 bytes and one id, and then one slot of 16 bytes is all that is read.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.cache.word_cache import FIRST_SIZE, KEY, MAX_WORD, SIZE, VALUE, WordCache
from rowspace.text.characters.kernels import number

__all__ = [
    "BYTES",
    "KEY",
    "LENGTH_SHIFT",
    "LONG",
    "LOW",
    "VALUE",
    "copy_ids",
    "find",
    "insert",
    "is_one_id",
    "key_of",
    "mark_of",
    "unpack",
]

WORDS, BYTES, IDS = range(3)  # the items of `used`

# A key is the bytes of a word of 1 to 7 bytes, and its length in the highest byte. Of other words it is a hash, above
# that their length, and LONG; their bytes are in the arena. 0 is the key of a free slot.
LONG = 1 << 62
SHORT_BYTES, LENGTH_SHIFT = 7, 56
# A value is 32 bits of an id or of a place in the pool, 16 bits of number of ids, and the caller's mark. A short word
# with one id has it here. Others have their ids in the pool; before those of a long word, the pool has its place in the
# arena.
LOW, COUNT_SHIFT, MARK_SHIFT, COUNT_MASK = 0xFFFFFFFF, 32, 48, 0xFFFF

HASH_SEED, HASH_PRIME, HASH_MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF  # FNV-1a, 32 bits, in 64-bit numbers
SPREAD, SPREAD_MASK = 0x9E3779B1, 0x7FFFFFFF  # 2^32 / golden ratio; a product with 31 bits fits a signed number


@kernel
def key_of(data: NDArray[np.uint8], begin: int, stop: int) -> int:
    """Return the key of the word data[begin:stop]."""
    length = stop - begin
    if 0 < length <= SHORT_BYTES:
        key = length << LENGTH_SHIFT
        for index in range(length):
            key |= number(data, begin + index) << (8 * index)
        return key
    hashed = HASH_SEED
    for index in range(begin, stop):
        hashed = ((hashed ^ number(data, index)) * HASH_PRIME) & HASH_MASK
    return LONG | (length << 32) | hashed


@kernel
def find(
    slots: NDArray[np.int64],
    arena: NDArray[np.uint8],
    pool: NDArray[np.int32],
    data: NDArray[np.uint8],
    begin: int,
    stop: int,
    key: int,
) -> int:
    """Return the slot of the word data[begin:stop], or the free slot that it would take."""
    slot = first_slot(slots, key)
    while slots[slot, KEY] != 0:
        if slots[slot, KEY] == key:
            if key < LONG:
                break
            other, index = pool[slots[slot, VALUE] & LOW], begin
            while index < stop and data[index] == arena[other + index - begin]:
                index += 1
            if index == stop:
                break
        slot = next_slot(slots, slot)
    return slot


@kernel
def first_slot(slots: NDArray[np.int64], key: int) -> int:
    """Return the slot where the search for a key starts."""
    size = slots[0, SIZE]
    return int(size | (((((key ^ (key >> 29)) & SPREAD_MASK) * SPREAD) >> 31) & (size - 1)))


@kernel
def next_slot(slots: NDArray[np.int64], slot: int) -> int:
    """Return the slot where the search goes on: the table is slots[size:2 * size]."""
    size = slots[0, SIZE]
    return int(size | ((slot + 1) & (size - 1)))


@kernel
def copy_ids(
    slots: NDArray[np.int64],
    pool: NDArray[np.int32],
    slot: int,
    ids: NDArray[np.int32],
    written: int,
) -> int:
    """Write the ids of the word in `slot` to ids[written:]; return where they end."""
    key, value = slots[slot, KEY], slots[slot, VALUE]
    count = int((value >> COUNT_SHIFT) & COUNT_MASK)
    if count == 1 and key < LONG:
        ids[written] = value & LOW
        return written + 1
    first = (value & LOW) + (key >= LONG)
    for index in range(count):
        ids[written + index] = pool[first + index]
    return written + count


@kernel
def is_one_id(slots: NDArray[np.int64], slot: int) -> bool:
    """Return whether a word has one id and no mark; that of a short word is then the low 32 bits of its value."""
    return bool(slots[slot, VALUE] >> COUNT_SHIFT == 1)


@kernel
def unpack(key: int, arena: NDArray[np.uint8], begin: int) -> int:
    """Write the bytes of a short word to arena[begin:]; return where they end."""
    length = key >> LENGTH_SHIFT
    for index in range(length):
        arena[begin + index] = (key >> (8 * index)) & 0xFF
    return begin + length


@kernel
def mark_of(slots: NDArray[np.int64], slot: int) -> int:
    """Return the mark that the word in `slot` was added with."""
    return int(slots[slot, VALUE] >> MARK_SHIFT)


@kernel
def insert(cache: WordCache, slot: int, key: int, word: NDArray[np.uint8], ids: NDArray[np.int32], mark: int) -> None:
    """Add a word with its ids and a mark, 0 … 9, in the free slot that `find` returned.

    It has at most `MAX_WORD` bytes and ids. When the cache is full, all words are removed, also this one.
    """
    slots, arena, pool, used = cache
    place = used[IDS]
    if key >= LONG:
        pool[used[IDS]] = used[BYTES]
        used[IDS] += 1
        for index in range(len(word)):
            arena[used[BYTES] + index] = word[index]
        used[BYTES] += len(word)
    if len(ids) == 1 and key < LONG:
        place = np.int64(ids[0])
    else:
        for index in range(len(ids)):
            pool[used[IDS] + index] = ids[index]
        used[IDS] += len(ids)
    slots[slot, KEY] = key
    slots[slot, VALUE] = (mark << MARK_SHIFT) | (len(ids) << COUNT_SHIFT) | place
    used[WORDS] += 1
    if used[BYTES] > arena.size - MAX_WORD or used[IDS] >= pool.size - MAX_WORD:
        clear(slots, used)
    elif 2 * used[WORDS] >= slots[0, SIZE]:
        grow(slots, used)


@kernel
def grow(slots: NDArray[np.int64], used: NDArray[np.int64]) -> None:
    """Move all words to a table of twice the size, which is behind the old one; without room for it, remove them."""
    size = slots[0, SIZE]
    if 4 * size > len(slots):
        clear(slots, used)
        return
    slots[2 * size : 4 * size] = 0
    slots[0, SIZE] = 2 * size
    for old in range(size, 2 * size):
        if slots[old, KEY] != 0:
            slot = first_slot(slots, slots[old, KEY])
            while slots[slot, KEY] != 0:
                slot = next_slot(slots, slot)
            slots[slot, KEY], slots[slot, VALUE] = slots[old, KEY], slots[old, VALUE]


@kernel
def clear(slots: NDArray[np.int64], used: NDArray[np.int64]) -> None:
    """Remove all words."""
    slots[0, SIZE] = min(slots[0, SIZE], FIRST_SIZE)
    slots[slots[0, SIZE] : 2 * slots[0, SIZE]] = 0
    used[:] = 0

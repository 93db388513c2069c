"""Symbols → ids: merges of neighbors, the lowest rank first, of equal ones the leftmost first.

Source: Sennrich et al. 2016; the order is that of the `tokenizers` library.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["ID_MASK", "NO_MERGE", "enter_merges", "find_merge", "merge_few"]

NO_MERGE = 0x7FFFFFFFFFFFFFFF
ID_MASK = 0xFFFFFFFF
HASH_PRIME, HASH_MASK = 0x9E3779B1, 0xFFFFFFFF


@kernel
def merge_few(pairs: NDArray[np.int64], ids: NDArray[np.int32], count: int, values: NDArray[np.int64]) -> int:
    """Merge the symbols ids[:count] in place, which takes n² time; return how many are left.

    Args:
        pairs: int64 (2^k, 2), a hash table with open addresses of (left id << 32 | right id, rank << 32 | id); the
            first is -1 in a free slot.
        ids: The ids of the symbols.
        count: Their number.
        values: int64, room for as many: what `find_merge` returned for each symbol and the next.
    """
    for index in range(count - 1):
        values[index] = find_merge(pairs, ids[index], ids[index + 1])
    while count > 1:
        best, place = NO_MERGE, 0
        for index in range(count - 1):
            if values[index] < best:
                best, place = values[index], index
        if best == NO_MERGE:
            break
        count -= 1
        ids[place] = best & ID_MASK
        for index in range(place + 1, count):
            ids[index] = ids[index + 1]
            values[index - 1] = values[index]
        if place > 0:
            values[place - 1] = find_merge(pairs, ids[place - 1], ids[place])
        if place < count - 1:
            values[place] = find_merge(pairs, ids[place], ids[place + 1])
    return count


@kernel
def find_merge(pairs: NDArray[np.int64], left: int, right: int) -> int:
    """Return rank << 32 | id of what two neighbors merge into, or `NO_MERGE`."""
    key = int(np.int64(left) << 32) | int(right)
    slot = pair_slot(key, pairs.shape[0] - 1)
    while pairs[slot, 0] != key:
        if pairs[slot, 0] < 0:
            return NO_MERGE
        slot = (slot + 1) & (pairs.shape[0] - 1)
    return pairs[slot, 1]  # type: ignore[no-any-return]  # an int to Numba


@kernel
def pair_slot(key: int, mask: int) -> int:
    """Return the slot at which the search for a pair begins."""
    mixed = ((key >> 32) * 0x2545F + key) & HASH_MASK
    return ((mixed * HASH_PRIME) & HASH_MASK) >> 7 & mask


@kernel
def enter_merges(pairs: NDArray[np.int64], merges: NDArray[np.int64]) -> None:
    """Enter merges (n, 3), which are (left, right, id) in the order of their ranks; a later one of a pair counts."""
    for rank in range(merges.shape[0]):
        key = (merges[rank, 0] << 32) | merges[rank, 1]
        slot = pair_slot(key, pairs.shape[0] - 1)
        while pairs[slot, 0] >= 0 and pairs[slot, 0] != key:
            slot = (slot + 1) & (pairs.shape[0] - 1)
        pairs[slot, 0] = key
        pairs[slot, 1] = (rank << 32) | merges[rank, 2]

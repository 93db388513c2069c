"""A piece → ids: merges of neighbors, the lowest rank first, of equal ones the leftmost first.

Source: Sennrich et al. 2016; the order is that of the `tokenizers` library.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import number

__all__ = ["ID_MASK", "NO_MERGE", "Merges", "enter_merges", "enter_tokens", "find_merge", "merge_piece", "whole_id"]

NO_MERGE = 0x7FFFFFFFFFFFFFFF
ID_MASK = 0xFFFFFFFF
HASH_PRIME, HASH_MASK = 0x9E3779B1, 0xFFFFFFFF
TOKEN_SEED, TOKEN_PRIME = 0x811C9DC5, 0x01000193  # FNV-1a, 32 bits, in 64-bit numbers


class Merges(NamedTuple):
    """The model.

    `byte_ids` (256,) int32: the id of each byte. `pairs` (2^k, 2) int64: a hash table with open addresses of
    (left id << 32 | right id, rank << 32 | id); the first is -1 in a free slot. `slots` (2^j,) int64: a hash table of
    whole tokens, id + 1 or 0, or size 0 if whole tokens are not looked up first. `starts` int64 and `arena` uint8: the
    bytes of token id are arena[starts[id]:starts[id + 1]].
    """

    byte_ids: NDArray[np.int32]
    pairs: NDArray[np.int64]
    slots: NDArray[np.int64]
    starts: NDArray[np.int64]
    arena: NDArray[np.uint8]


@kernel
def merge_piece(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, ids: NDArray[np.int32], values: NDArray[np.int64]
) -> int:
    """Write the ids of a short piece; return how many.

    Args:
        data: UTF-8.
        span: Where the piece begins and ends.
        merges: The model.
        ids: Where the ids are written; with room for as many as bytes.
        values: int64, room for as many as bytes: what `find_merge` returned for each symbol and the next.
    """
    begin, end = span
    count = end - begin
    for index in range(count):
        ids[index] = merges.byte_ids[data[begin + index]]
    for index in range(count - 1):
        values[index] = find_merge(merges.pairs, ids[index], ids[index + 1])
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
            values[place - 1] = find_merge(merges.pairs, ids[place - 1], ids[place])
        if place < count - 1:
            values[place] = find_merge(merges.pairs, ids[place], ids[place + 1])
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


@kernel
def whole_id(data: NDArray[np.uint8], begin: int, end: int, merges: Merges) -> int:
    """Return the id of data[begin:end] if it is a token, else -1."""
    slots, starts = merges.slots, merges.starts
    slot = token_slot(data, begin, end) & (slots.size - 1)
    while slots[slot] != 0:
        token = slots[slot] - 1
        first, index = starts[token], begin
        if starts[token + 1] - first == end - begin:
            while index < end and data[index] == merges.arena[first + index - begin]:
                index += 1
            if index == end:
                return token  # type: ignore[no-any-return]  # an int to Numba
        slot = (slot + 1) & (slots.size - 1)
    return -1


@kernel
def token_slot(data: NDArray[np.uint8], begin: int, end: int) -> int:
    """Return a hash of data[begin:end]."""
    hashed = TOKEN_SEED
    for index in range(begin, end):
        hashed = ((hashed ^ number(data, index)) * TOKEN_PRIME) & HASH_MASK
    return hashed ^ (hashed >> 15)


@kernel
def enter_tokens(slots: NDArray[np.int64], starts: NDArray[np.int64], arena: NDArray[np.uint8]) -> None:
    """Enter all tokens of at least one byte; no two are the same."""
    for token in range(starts.size - 1):
        if starts[token] < starts[token + 1]:
            slot = token_slot(arena, starts[token], starts[token + 1]) & (slots.size - 1)
            while slots[slot] != 0:
                slot = (slot + 1) & (slots.size - 1)
            slots[slot] = token + 1

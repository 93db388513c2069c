"""A piece → ids: the id of the piece if it is a token that comes whole, else the merges of its bytes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.bpe.kernels.heap import merge_symbols
from rowspace.text.characters.kernels import number

__all__ = ["Merges", "enter_tokens", "piece_ids", "whole_id"]

HASH_MASK = 0xFFFFFFFF
TOKEN_SEED, TOKEN_PRIME = 0x811C9DC5, 0x01000193  # FNV-1a, 32 bits, in 64-bit numbers


class Merges(NamedTuple):
    """The model.

    `byte_ids` (256,) int32: the id of each byte. `pairs` (2^k, 2) int64: the hash table of `find_merge`. `slots` (2^j,)
    int64: a hash table of whole tokens, id + 1 or 0, or size 0 if whole tokens are not looked up first. `starts` int64
    and `arena` uint8: the bytes of token id are arena[starts[id]:starts[id + 1]].
    """

    byte_ids: NDArray[np.int32]
    pairs: NDArray[np.int64]
    slots: NDArray[np.int64]
    starts: NDArray[np.int64]
    arena: NDArray[np.uint8]


@kernel
def piece_ids(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, ids: NDArray[np.int32], scratch: NDArray[np.int64]
) -> int:
    """Write the ids of a piece; return how many.

    Args:
        data: UTF-8.
        span: Where the piece begins and ends.
        merges: The model.
        ids: Where the ids are written; with room for as many as bytes.
        scratch: Room for `HEAP_SPACE` numbers for each byte.
    """
    begin, end = span
    if merges.slots.size > 0:
        whole = whole_id(data, begin, end, merges)
        if whole >= 0:
            ids[0] = whole
            return 1
    for index in range(end - begin):
        ids[index] = merges.byte_ids[data[begin + index]]
    return merge_symbols(merges.pairs, ids, end - begin, scratch)


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

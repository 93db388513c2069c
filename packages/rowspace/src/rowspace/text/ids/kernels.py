"""Provisional ids → final ids, one block at a time."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.words.kernels import END

__all__ = ["compact", "count_pairs", "join_pairs", "put_pair"]


@kernel
def compact(ids: NDArray[np.int32], final: NDArray[np.int32], last: int, out: NDArray[np.int32]) -> tuple[int, int]:
    """Write the final ids of `ids` to `out`, without words that have none and without empty sentences.

    `final`: -1 for a word to omit. `last`: the last id written before. Returns the number of ids written, and
    the last of them. `out` may be `ids` itself.
    """
    written = 0
    for identity in ids:
        new = END if identity == END else int(final[identity])
        if new >= 0 or (identity == END and last != END):
            out[written] = new
            written += 1
            last = new
    return written, last


@kernel
def count_pairs(
    ids: NDArray[np.int32],
    position: int,
    kept: NDArray[np.bool_],
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    used: int,
    limit: int,
) -> tuple[int, int]:
    """Count pairs of neighbors from `position` on, until the end or until `limit` places are used.

    Returns the position after the last pair, and the number of places that are used.
    """
    while position < len(ids) and used < limit:
        first, second = ids[position - 1], ids[position]
        position += 1
        if first >= 0 and second >= 0 and kept[first] and kept[second]:
            key = (np.int64(first) << 32) | np.int64(second)
            place = find_pair(key, keys)
            used += keys[place] < 0
            keys[place] = key
            counts[place] += 1
    return position, used


@kernel
def find_pair(key: np.int64, keys: NDArray[np.int64]) -> np.int64:
    """Return the place of a pair, or the free place where it belongs; `keys` has a power of two of places."""
    mask = np.uint64(len(keys) - 1)
    place = ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[place] >= 0 and keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return np.int64(place)


@kernel
def put_pair(key: np.int64, value: np.int64, keys: NDArray[np.int64], values: NDArray[np.int64]) -> None:
    """Set the value of a pair."""
    place = find_pair(key, keys)
    keys[place] = key
    values[place] = value


@kernel
def join_pairs(
    ids: NDArray[np.int32], keys: NDArray[np.int64], values: NDArray[np.int64], out: NDArray[np.int32]
) -> int:
    """Write ids to `out` with the values of listed pairs in their place, from the left; return how many."""
    written, position = 0, 0
    while position < len(ids):
        new = ids[position]
        position += 1
        if new >= 0 and position < len(ids) and ids[position] >= 0:
            key = (np.int64(new) << 32) | np.int64(ids[position])
            place = find_pair(key, keys)
            if keys[place] == key:
                new = np.int32(values[place])
                position += 1
        out[written] = new
        written += 1
    return written

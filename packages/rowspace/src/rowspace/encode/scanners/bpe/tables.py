"""Merges → the hash table that the kernels read."""

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.kernels.merge import enter_merges

__all__ = ["pairs_of", "slots_for"]


def pairs_of(merges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hash table of `find_merge` for the merges of `merge_ids`."""
    pairs = np.full((slots_for(len(merges)), 2), -1, np.int64)
    enter_merges(pairs, merges)
    return pairs


def slots_for(entries: int) -> int:
    """Return the number of slots of a hash table: a power of two, at least twice the entries."""
    return int(2 ** (2 * entries + 1).bit_length())

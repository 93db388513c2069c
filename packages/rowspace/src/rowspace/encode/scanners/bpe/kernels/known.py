"""Caches of pieces and their ids: short and frequent ones in sets of two, all others in a cache of words."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.cache import WordCache

__all__ = ["Known", "empty_known"]

MEMORY_SETS = 2**16  # of two pieces each, 4 MB for each thread


class Known(NamedTuple):
    """Pieces met before: `memory` (2^k, 8) uint64 those that are short and frequent, `cache` all others."""

    memory: NDArray[np.uint64]
    cache: WordCache


def empty_known() -> Known:
    """Return an empty memory, each set of which is one line of the processor's cache, and an empty cache."""
    numbers = np.zeros(8 * MEMORY_SETS + 8, np.uint64)
    first = -(numbers.ctypes.data // 8) % 8
    return Known(numbers[first : first + 8 * MEMORY_SETS].reshape(MEMORY_SETS, 8), WordCache.empty())

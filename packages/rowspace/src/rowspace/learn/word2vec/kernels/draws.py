"""Random bits and integers, and an index that is not checked for its sign."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import Ids

__all__ = ["at", "below", "random_bits"]


@kernel
def at(ids: Ids, place: int) -> np.int64:
    """`ids[place]` for a place that is not negative, which saves asking whether it is."""
    value: np.int64 = ids[np.uint64(place)]
    return value


@kernel
def below(limit: int, bits: np.uint64) -> int:
    """An integer from 0 to limit - 1, made of the upper 32 of 64 random bits."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))  # type: ignore[return-value]  # an int to Numba


@kernel
def random_bits(random: NDArray[np.uint64]) -> np.uint64:
    """Sixty-four random bits: xorshift64 (Marsaglia 2003)."""
    state: np.uint64 = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return state

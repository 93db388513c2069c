"""Provisional ids → final ids, one block at a time."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.words.kernels import END

__all__ = ["compact"]


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

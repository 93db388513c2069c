"""The model of a Unigram tokenizer, as arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["UnigramArrays"]


class UnigramArrays(NamedTuple):
    """A Unigram model.

    Attributes:
        vocab: The id of each token; of equal ones the last.
        scores: float64 (V,).
        unknown: The id of the unknown token, or -1.
        byte_fallback: Whether unknown characters become bytes.
    """

    vocab: dict[str, int]
    scores: NDArray[np.float64]
    unknown: int
    byte_fallback: bool

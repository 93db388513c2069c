"""The weight of each row: a / (a + p), smooth inverse frequency, so that frequent tokens decide less.

Source: A Simple but Tough-to-Beat Baseline for Sentence Embeddings (Arora, Liang & Ma, 2017).
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["probabilities_of_counts", "probabilities_of_ranks", "sif_weights"]


def sif_weights(probabilities: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Return a / (a + p) for each token, (n,); ones for a = 0.

    >>> sif_weights(np.array([0.0, 1e-4, 3e-4]), 1e-4)
    array([1.  , 0.5 , 0.25])
    """
    return a / (a + probabilities) if a > 0 else np.ones(len(probabilities))


def probabilities_of_ranks(size: int) -> NDArray[np.float64]:
    """Return Zipf's estimate for tokens in the order of their frequency, (size,): p is proportional to 1 / (rank + 1).

    The ids of trained tokenizers are in about that order. Source: model2vec 0.10, `compute_weights`.

    >>> probabilities_of_ranks(2).round(3)
    array([0.6, 0.4])
    """
    inverse = 1.0 / np.arange(2, size + 2)
    share: NDArray[np.float64] = inverse / inverse.sum()
    return share


def probabilities_of_counts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of each token in a text, (n,); zeros for a text without tokens.

    >>> probabilities_of_counts(np.array([3, 0, 1]))
    array([0.75, 0.  , 0.25])
    """
    return counts / max(1, int(counts.sum()))

"""What a refit changes: the limit of a change that chance alone explains, for tokens of similar counts."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVEL", "null_limits"]

Doubles = NDArray[np.float64]

LEVEL = 0.95
"""The share of the null's changes up to the limit."""

GROUP, MAX_GROUPS = 200, 20  # changes of the null that a limit is found from, at least; groups of counts, at most


def null_limits(changes: Doubles, counts: NDArray[np.int64] | None) -> Doubles:
    """Return the limit of each token: the 95 % quantile of the null's changes of tokens with similar counts.

    Rows of rare tokens vary more from fit to fit, so tokens are divided by their counts into groups of equal size, each
    with its own limit.

    Args:
        changes: (m, n), the change of each of n tokens in m refits.
        counts: (n,), None for one limit for all.

    Returns:
        (n,) limits.

    >>> null_limits(np.linspace(0, 1, 101)[np.newaxis], None)[0].round(6)
    np.float64(0.95)
    """
    number = min(MAX_GROUPS, max(1, changes.size // GROUP))
    if counts is None or number == 1:
        return np.full(changes.shape[1], np.quantile(changes, LEVEL))
    edges = np.unique(np.quantile(counts, np.linspace(0, 1, number + 1)[1:-1]))
    group = np.searchsorted(edges, counts, side="right")
    limits = np.array([np.quantile(changes[:, group == each], LEVEL) for each in np.unique(group)])
    return limits[np.unique(group, return_inverse=True)[1]]

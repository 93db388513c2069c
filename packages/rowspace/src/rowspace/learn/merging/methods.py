"""The methods of merging, on aligned rows of several tables for the same tokens.

Each takes `rows` (n, b, d), those of n tables for b tokens, and `has` (n, b), which tables have a token, and returns
(b, d) float64. A token that no table has gets zeros.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["average", "slerp", "task"]

Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]

PARALLEL = 1e-6  # radians from 0 or π, where a great circle is not determined well enough


def average(rows: Doubles, has: Flags, weights: Doubles) -> Doubles:
    """Return the weighted mean of the rows of those tables that have a token.

    The weights (n,) of these are divided by their sum; if that is 0, all have the same weight.

    >>> average(np.array([[[2.0]], [[4.0]]]), np.array([[True], [True]]), np.array([3.0, 1.0]))
    array([[2.5]])
    """
    used = np.where(has, weights[:, np.newaxis], 0.0)
    total = used.sum(axis=0)
    used = np.where(total > 0, used, has)
    total = used.sum(axis=0)
    mean: Doubles = np.einsum("nb,nbd->bd", used / np.where(total > 0, total, 1), rows)
    return mean


def slerp(rows: Doubles, has: Flags, weights: Doubles) -> Doubles:
    """Return rows between those of two tables: directions on the great circle, lengths linearly (Shoemake 1985).

    The second table's share of the way is its weight divided by the sum. Rows that are parallel or opposite, and rows
    of tokens that one table does not have, are averaged instead.

    >>> slerp(np.array([[[2.0, 0.0]], [[0.0, 2.0]]]), np.ones((2, 1), bool), np.array([1.0, 1.0])).round(3)
    array([[1.414, 1.414]])
    """
    share = weights[1] / weights.sum()
    lengths = np.sqrt(np.vecdot(rows, rows))
    is_usual = has.all(axis=0) & (lengths > 0).all(axis=0)
    first, second = rows / np.where(lengths > 0, lengths, 1)[:, :, np.newaxis]
    # Accurate at small angles too, where the arc cosine is not (Kahan 2006).
    apart = np.linalg.norm(first - second, axis=-1)
    angle = 2 * np.arctan2(apart, np.linalg.norm(first + second, axis=-1))
    is_usual &= (angle > PARALLEL) & (angle < np.pi - PARALLEL)
    sine = np.where(is_usual, np.sin(angle), 1)
    weight_first, weight_second = np.sin((1 - share) * angle) / sine, np.sin(share * angle) / sine
    direction = weight_first[:, np.newaxis] * first + weight_second[:, np.newaxis] * second
    length = (1 - share) * lengths[0] + share * lengths[1]
    between: Doubles = np.where(is_usual[:, np.newaxis], direction * length[:, np.newaxis], average(rows, has, weights))
    return between


def task(rows: Doubles, has: Flags, weights: Doubles, base: Doubles, base_has: Flags) -> Doubles:
    """Return the base's rows (b, d) plus the weighted differences of the tables from it (Ilharco et al. 2023).

    A table that does not have a token adds nothing; a token that the base does not have (`base_has`, (b,)) gets the
    mean of the tables that have it.

    >>> rows, has = np.array([[[2.0]], [[4.0]]]), np.ones((2, 1), bool)
    >>> task(rows, has, np.array([1.0, 0.5]), np.array([[1.0]]), np.array([True]))
    array([[3.5]])
    """
    used = np.where(has, weights[:, np.newaxis], 0.0)
    moved = base + np.einsum("nb,nbd->bd", used, rows - base)
    summed: Doubles = np.where(base_has[:, np.newaxis], moved, average(rows, has, np.ones(len(rows))))
    return summed

"""Pearson's and Spearman's correlation with their two-sided p-values, without scipy.

The p-value is that of Student's t with n - 2 degrees of freedom, by the incomplete beta function.
"""

from math import exp, lgamma, log, log1p, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rowspace.errors import UsageError

__all__ = ["Correlation", "pearson", "spearman"]


class Correlation(NamedTuple):
    """A coefficient `r` in [-1, 1] and its two-sided p-value `p`."""

    r: float
    p: float


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Return the linear correlation of x (n,) with y (n,), n >= 2; NaN where either is constant or not finite.

    Raises:
        UsageError: other shapes.

    >>> pearson([1, 2, 3, 4], [1, 3, 2, 4]).r
    0.8
    """
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise UsageError(f"x and y must be vectors of the same length, at least 2, got {a.shape} and {b.shape}")
    if not np.isfinite([a, b]).all() or (a == a[0]).all() or (b == b[0]).all():
        return Correlation(nan, nan)
    # Powers of two round nothing, and keep the products from overflow.
    a, b = (np.ldexp(side, -np.frexp(np.abs(side).max())[1]) for side in (a, b))
    a, b = a - a.mean(), b - b.mean()
    r = float(a @ b / np.sqrt((a @ a) * (b @ b)))  # exactly 1 for equal ranks
    r = max(-1.0, min(1.0, r))
    return Correlation(r, _two_sided(r, len(a)))


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Return the correlation of the ranks of x (n,) and y (n,); equal values share their average rank.

    NaN where either is constant or has NaN. Raises as `pearson` does.

    >>> spearman([1, 2, 3, 4], [1, 30, 20, 400]).r
    0.8
    """
    return pearson(_ranks(np.asarray(x)), _ranks(np.asarray(y)))


def _ranks(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return ranks from 1; equal values share the mean of their ranks, and NaN has the rank NaN."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    ranks: NDArray[np.float64] = np.where(np.isnan(values), nan, (last - (sizes - 1) / 2)[group])
    return ranks


def _two_sided(r: float, n: int) -> float:
    """Return the p-value of r over n points: I_{1 - r²}((n - 2) / 2, 1 / 2)."""
    if n == 2:
        return 1.0
    return _incomplete_beta((n - 2) / 2, 0.5, (1 - r) * (1 + r))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularized I_x(a, b) (Press et al., Numerical Recipes, 3rd edition 2007, 6.4)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly there, its mirror image fast
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    return front * _continued_fraction(a, b, x) / a


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the fraction 1 / (1 + d1 / (1 + d2 / ...)) of I_x(a, b) by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or tiny)
            c = 1 + term / c or tiny
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value

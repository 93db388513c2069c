"""The effects of categories on targets, shrunk towards zero: partial pooling, in closed form.

A category's effect is the posterior mean of a random effect with a normal prior around zero (a BLUP, Robinson 1991):
the sum of its targets divided by its count plus the prior, a number of pseudo-observations. The best prior is the
variance within categories divided by that between them, which is estimated from the moments (one-way analysis of
variance with unequal sizes, Searle et al. 1992).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["axes", "effects", "partial_effects", "priors", "shape_targets"]

Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]

SWEEPS, TOLERANCE = 20, 1e-4  # of the partial effects
MAX_PRIOR = 1e9  # where categories do not differ at all


def effects(codes: Ids, targets: Doubles, size: int, *, smooth: float | None = None, pooled: bool = False) -> Doubles:
    """Return the effect of each category on each target, (size, t); zeros for categories that do not occur.

    Args:
        codes: (n,) ids of categories.
        targets: (n, t), each with mean 0.
        size: The number of categories.
        smooth: The prior in observations; None estimates it.
        pooled: Estimate one prior for all targets, so that effects on the shares of classes have the sum 0.

    >>> effects(np.array([0, 0, 1]), np.array([[2.0], [1.0], [-3.0]]), 3, smooth=1.0).ravel().tolist()
    [1.0, -1.5, 0.0]
    """
    counts, sums = _sums(codes, targets, size)
    prior = priors(codes, targets, size, pooled=pooled) if smooth is None else np.full(targets.shape[1], smooth)
    divisor = counts[:, np.newaxis] + prior
    shrunk: Doubles = np.divide(sums, divisor, out=np.zeros_like(sums), where=divisor > 0)
    return shrunk


def priors(codes: Ids, targets: Doubles, size: int, *, pooled: bool = False) -> Doubles:
    """Return the prior of each target in observations, (t,): the variance within categories by that between them.

    With `pooled`, the variances are summed over the targets first, so that all have the same prior.

    >>> codes = np.repeat(np.arange(200), 50)
    >>> generator = np.random.default_rng(0)
    >>> between, within = generator.normal(0, 1, 200), generator.normal(0, 3, 10_000)
    >>> priors(codes, (between[codes] + within)[:, None], 200).round()
    array([9.])
    """
    counts, sums = _sums(codes, targets, size)
    counts, sums = counts[counts > 0], sums[counts > 0]
    number, total = len(counts), counts.sum()
    means = sums / counts[:, np.newaxis]
    squares_within = (targets**2).sum(axis=0) - (counts[:, np.newaxis] * means**2).sum(axis=0)
    if number < 2 or total <= number:  # one category, or none that occurs twice
        return np.full(targets.shape[1], MAX_PRIOR if number < 2 else 1.0)
    within = np.maximum(squares_within, 0) / (total - number)
    squares_between = (counts[:, np.newaxis] * (means - targets.mean(axis=0)) ** 2).sum(axis=0)
    usual_count = (total - (counts**2).sum() / total) / (number - 1)
    between = (squares_between / (number - 1) - within) / usual_count
    if pooled:
        within, between = (np.full(len(each), each.sum()) for each in (within, between))
    prior: Doubles = within / np.maximum(between, within / MAX_PRIOR + np.finfo(float).tiny)
    return prior


def partial_effects(
    codes: Sequence[Ids], target: Doubles, sizes: Sequence[int], *, smooth: float | None = None
) -> list[Doubles]:
    """Return the effects of the categories of several columns on one target (n,), each next to those of the others.

    The target is a sum of one effect for each column: each column's effects are those on what the others leave, in
    turns until they change little (backfitting, Hastie & Tibshirani 1990).

    >>> codes = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
    >>> one, two = partial_effects(codes, np.array([3.0, 1.0, -1.0, -3.0]), [2, 2], smooth=0.0)
    >>> one.tolist(), two.tolist()
    ([2.0, -2.0], [1.0, -1.0])
    """
    found = [np.zeros(size) for size in sizes]
    left = target.copy()  # what all columns leave
    for _ in range(SWEEPS):
        change = 0.0
        for number, (ids, size) in enumerate(zip(codes, sizes, strict=True)):
            before = found[number]
            after = effects(ids, (left + before[ids])[:, np.newaxis], size, smooth=smooth)[:, 0]
            step = (after - before)[ids]
            left -= step
            change = max(change, float(np.abs(step).max(initial=0)))
            found[number] = after
        if change < TOLERANCE * target.std():
            break
    return found


def shape_targets(target: Doubles, bins: int = 10) -> Doubles:
    """Return targets for the shape of the distribution of a target (n,): (n, b) with mean 0.

    They are the indicators of intervals between quantiles, without what a line through the target explains, since the
    mean effect has that already.

    >>> shape_targets(np.arange(100.0) - 49.5).shape
    (100, 10)
    """
    edges = np.unique(np.quantile(target, np.arange(1, bins) / bins, method="higher"))
    edges = edges[edges > target.min()]
    indicators = np.eye(len(edges) + 1)[np.searchsorted(edges, target, side="right")]
    indicators -= indicators.mean(axis=0)
    variance = (target**2).mean()
    slope = target @ indicators / (len(target) * variance) if variance > 0 else np.zeros(indicators.shape[1])
    return np.asarray(indicators - target[:, np.newaxis] * slope)


def axes(found: Doubles, counts: NDArray[np.int64], k: int) -> Doubles:
    """Return the first k principal axes (k, t), or fewer, of effects (V, t) with the weights `counts`.

    The largest number of an axis is positive. Axes with a variance of zero are left out, except the first.

    >>> axes(np.array([[2.0, 2.0], [-1.0, -1.0]]), np.array([1, 4]), 2).round(3)
    array([[0.707, 0.707]])
    """
    _, sizes, directions = np.linalg.svd(found * np.sqrt(counts)[:, np.newaxis], full_matrices=False)
    kept = directions[: min(k, max(1, int((sizes > 1e-9 * sizes.max()).sum())))]
    largest = np.abs(kept).argmax(axis=1)[:, np.newaxis]
    signed: Doubles = kept * np.sign(np.take_along_axis(kept, largest, axis=1))
    return signed


def _sums(codes: Ids, targets: Doubles, size: int) -> tuple[Doubles, Doubles]:
    """Return the count of each category (size,) and the sums of its targets (size, t)."""
    counts = np.bincount(codes, minlength=size).astype(np.float64)
    return counts, np.stack([np.bincount(codes, column, size) for column in targets.T], axis=1)

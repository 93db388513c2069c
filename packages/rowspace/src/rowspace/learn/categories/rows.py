"""The row of each category, from its effects on a target."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.categories.effects import axes, effects, partial_effects, priors
from rowspace.learn.categories.target import Target

__all__ = ["RowRule", "rows_of", "rule_of"]

Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]


class RowRule(NamedTuple):
    """What the numbers of a row are, decided once, so that rows learned from parts of the data have the same meaning.

    Attributes:
        sizes: The number of categories of each column.
        smooth: The prior in examples; None estimates it.
        has_partial: Whether a row has the partial effect next to the other columns.
        axes: For each column, the axes (k, t) of the effects on the shape, or on the classes if they are more than two.
        parts: For each column, the names of the numbers.
        priors: For each column, the prior of the mean, or of the shares of classes, in examples.
    """

    sizes: list[int]
    smooth: float | None
    has_partial: bool
    axes: list[Doubles]
    parts: list[list[str]]
    priors: list[float]


def rule_of(
    codes: Sequence[Ids], counts: Sequence[NDArray[np.int64]], target: Target, dim: int, smooth: float | None
) -> RowRule:
    """Return the rule for rows of at most `dim` numbers; the axes are those of all data.

    Args:
        codes: (n,) ids of categories, for each column.
        counts: (V,) examples of each category, for each column.
        target: The target.
        dim: The maximum length of a row.
        smooth: The prior in examples; None estimates it.
    """
    sizes = [len(each) for each in counts]
    has_classes = target.kind == "multiclass"
    has_partial = not has_classes and len(sizes) > 1 and dim > 1
    first = [] if has_classes else ["mean", "partial"][: 1 + has_partial]
    targets, name = (target.main, "class") if has_classes else (target.shape, "shape")
    found = []
    for ids, each, size in zip(codes, counts, sizes, strict=True):
        k = min(dim - len(first), targets.shape[1])
        found.append(
            axes(effects(ids, targets, size, smooth=smooth, pooled=has_classes), each, k)
            if k
            else np.zeros((0, targets.shape[1]))
        )
    used = [
        float(priors(ids, target.main, size, pooled=has_classes)[0]) if smooth is None else smooth
        for ids, size in zip(codes, sizes, strict=True)
    ]
    parts = [[*first, *(f"{name}{number}" for number in range(1, len(each) + 1))] for each in found]
    return RowRule(sizes, smooth, has_partial, found, parts, used)


def rows_of(codes: Sequence[Ids], main: Doubles, shape: Doubles, rule: RowRule) -> list[Doubles]:
    """Return the rows (V, k) of each column, learned from some examples: zeros for categories that do not occur.

    Args:
        codes: (n,) ids of categories, for each column.
        main: (n, t) of the target of these examples.
        shape: (n, b), likewise.
        rule: What the numbers of a row are.
    """
    has_classes = main.shape[1] > 1
    partial = partial_effects(codes, main[:, 0], rule.sizes, smooth=rule.smooth) if rule.has_partial else []
    rows = []
    for number, (ids, size, found) in enumerate(zip(codes, rule.sizes, rule.axes, strict=True)):
        parts = [] if has_classes else [effects(ids, main, size, smooth=rule.smooth)]
        if rule.has_partial:
            parts.append(partial[number][:, np.newaxis])
        if len(found):
            others = main if has_classes else shape
            parts.append(effects(ids, others, size, smooth=rule.smooth, pooled=has_classes) @ found.T)
        rows.append(np.hstack(parts))
    return rows

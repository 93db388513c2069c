"""`Comparison`: what `rowspace.compare` found, and the limits of changes that chance alone explains."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table

__all__ = ["LEVEL", "Comparison", "null_limits"]

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


Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Comparison:
    """How far the tokens of two tables moved, and how many of their neighbors changed.

    Attributes:
        tokens: The n tokens that were compared, most changed first: by `changes`, or with a null by how far these are
            above the limit.
        counts: (n,) int64, the lowest count of each in a table; None unless all tables have counts.
        overlaps: (n,) float64, the share of the k nearest neighbors in the first table that are also among the k
            nearest in the second one; neighbors are tokens that all tables have.
        cosines: (n,) float64, of the rows in both tables, in the same axes: 1 is no change. None if widths differ.
        changes: (n,) float64, 1 - cosine, or 1 - overlap, as `by` says.
        limits: (n,) float64, the change that 95 % of the tokens with similar counts do not exceed in the null; None
            without a null.
        before: The first table.
        after: The second table.
        ids: (s,) int64, the ids in the first table of the tokens that all tables have, compared and neighbors.
        after_ids: (s,) int64, their ids in the second table.
        facts: What was compared and found, as plain values: `by`, `neighbors` (k), `aligned` (None if widths differ),
            `shared`, `only_before`, `only_after`, `left_out` (by reason), `same_tokenizer`, `eligible`, `compared`,
            `median_overlap`, `median_cosine`, `correlation` (Spearman's, of the similarities of pairs of tokens in both
            tables); with a null also `null_tables`, `null_median_overlap`, `null_median_cosine`, `beyond` and
            `beyond_share`, and `expected_share`, which is that of the null's own changes.
    """

    tokens: list[str]
    counts: Ids | None
    overlaps: Doubles
    cosines: Doubles | None
    changes: Doubles
    limits: Doubles | None
    before: Table
    after: Table
    ids: Ids
    after_ids: Ids
    facts: dict[str, Any]

    @property
    def beyond(self) -> NDArray[np.bool_] | None:
        """Return which tokens changed by more than their limit, (n,); None without a null."""
        return None if self.limits is None else self.changes > self.limits

    def neighbors(self, tokens: Sequence[str], *, k: int = 10) -> list[tuple[list[str], list[str]]]:
        """Return the k nearest neighbors of each token in the first and in the second table, of those that both have.

        Raises:
            UnknownTokenError: A token is not in a table.
            UsageError: `tokens` is a string.
        """
        return list(
            zip(
                _neighbors(self.before, self.ids, tokens, k),
                _neighbors(self.after, self.after_ids, tokens, k),
                strict=True,
            )
        )


def _neighbors(table: Table, ids: Ids, tokens: Sequence[str], k: int) -> list[list[str]]:
    """Return the k nearest neighbors of each token among the rows `ids`."""
    own = table.ids(tokens)
    place_of = {row: place for place, row in enumerate(ids.tolist())}
    exclude = np.array([[place_of.get(row, -1)] for row in own.tolist()], np.int64).reshape(-1, 1)
    near, _ = space.nearest(table.rows[own], table.rows[ids], k, exclude=exclude, row_norms=table.norms[ids])
    return [[table.vocabulary[ids[place]] for place in places if place >= 0] for places in near]

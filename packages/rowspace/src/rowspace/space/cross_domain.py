"""Neighbors between two spaces: cross-domain similarity local scaling (CSLS), and pairs of mutual neighbors.

Some rows, called hubs, are near many rows of the other space. CSLS subtracts from each cosine the mean cosine of both
rows to their nearest rows in the other space, so that hubs are found less often. Source: Conneau et al. 2018.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.neighbors import Answer, nearest, validate_k
from rowspace.space.pca import finite_rows
from rowspace.space.similarity import unit_rows

__all__ = ["MutualPairs", "csls", "mutual_neighbors"]

Rows = NDArray[np.floating[Any]]


class MutualPairs(NamedTuple):
    """Pairs of rows that are each other's nearest."""

    pairs: NDArray[np.int64]
    """(n, 2), the ids of both rows, by decreasing score; ties by the first id."""
    scores: NDArray[np.float32]
    """(n,)"""


def csls(queries: Rows, rows: Rows, k: int = 10, *, sources: Rows | None = None, neighborhood: int = 10) -> Answer:
    """Return the k nearest of `rows` to each of `queries` by CSLS, exactly.

    The score of x and y is 2 cos(x, y) - r(x) - r(y), where r(x) is the mean cosine of x to its `neighborhood` nearest
    of `rows`, and r(y) that of y to its nearest of `sources`. It is found by one search for the largest dot product:
    (2 x, -1) with (y, r(y)), for x and y of length 1. Rows of zeros or with NaN are never found.

    Args:
        queries: (n, d) finite numbers.
        rows: (V, d) floats.
        k: The number of answers.
        sources: (S, d), all rows of the queries' space; `queries` if None.
        neighborhood: The number of nearest rows in the mean cosine.

    Returns:
        Ids (n, k) int64 and scores (n, k) float32, best first; id -1 and score NaN where no row is left.

    Raises:
        UsageError: k or neighborhood is below 1, widths differ, or a query has NaN or infinity.

    >>> x, y = np.eye(2), np.array([[0.9, 0.1], [0.8, 0.7]])
    >>> ids, scores = csls(x, y, 1, neighborhood=1)
    >>> ids.ravel(), scores.ravel().round(3) + 0  # no -0.0
    (array([0, 1]), array([ 0.   , -0.094], dtype=float32))
    """
    neighborhood = _validate_neighborhood(neighborhood)
    directed = _directed(rows)
    unit = _unit(rows)
    asked = _unit(queries)
    known = asked if sources is None else _unit(sources)
    local = np.full(len(rows), np.nan)
    local[directed] = _mean_cosine(unit[directed], known[_directed(known)], neighborhood)
    extended = np.column_stack([unit, local]).astype(unit.dtype)
    extended[~directed] = np.nan
    own = _mean_cosine(asked, unit[directed], neighborhood)
    ids, scores = nearest(np.column_stack([2 * asked, -np.ones(len(asked), asked.dtype)]), extended, k, metric="dot")
    return ids, (scores - own[:, np.newaxis]).astype(np.float32)


def mutual_neighbors(rows: Rows, others: Rows, *, by_csls: bool = True, neighborhood: int = 10) -> MutualPairs:
    """Return the pairs of rows (V, d) and others (W, d) that are each other's nearest: a dictionary without one.

    Args:
        rows: (V, d) floats; rows of zeros or with NaN are in no pair.
        others: (W, d) floats, likewise.
        by_csls: Compare by CSLS, otherwise by cosine.
        neighborhood: As for `csls`.

    Raises:
        UsageError: Widths differ, or neighborhood is below 1.

    >>> mutual_neighbors(np.eye(3), np.eye(3)[[2, 0, 1]]).pairs.tolist()
    [[0, 1], [1, 2], [2, 0]]
    """
    here, there = np.flatnonzero(_directed(rows)), np.flatnonzero(_directed(others))
    left, right = _unit(rows[here]), _unit(others[there])
    if not len(here) or not len(there):
        return MutualPairs(np.empty((0, 2), np.int64), np.empty(0, np.float32))
    if by_csls:
        (forth, scores), (back, _) = (
            csls(*sides, 1, neighborhood=neighborhood) for sides in ((left, right), (right, left))
        )
    else:
        (forth, scores), (back, _) = nearest(left, right, 1), nearest(right, left, 1)
    is_mutual = back[forth[:, 0], 0] == np.arange(len(left))
    pairs = np.column_stack([here, there[forth[:, 0]]])[is_mutual]
    kept = scores[is_mutual, 0]
    order = np.argsort(-kept, kind="stable")
    return MutualPairs(pairs[order], kept[order])


def _mean_cosine(rows: Rows, others: Rows, neighborhood: int) -> NDArray[np.float64]:
    """Return the mean dot product of each unit row to its nearest unit rows of `others`, (n,)."""
    if not len(others) or not len(rows):
        return np.zeros(len(rows))
    _, cosines = nearest(rows, others, neighborhood, metric="dot")
    mean: NDArray[np.float64] = cosines.astype(np.float64).mean(axis=1)
    return mean


def _unit(rows: Rows) -> Rows:
    """Return rows of length 1, in float32 unless they are wider."""
    return unit_rows(rows).astype(np.float64 if rows.dtype.itemsize > 4 else np.float32)


def _directed(rows: Rows) -> NDArray[np.bool_]:
    """Return which rows have a direction: they are finite and not zero."""
    return finite_rows(rows) & np.asarray(rows).any(axis=1)


def _validate_neighborhood(neighborhood: int) -> int:
    try:
        return validate_k(neighborhood)
    except UsageError:
        raise UsageError(f"neighborhood must be a whole number of at least 1, got {neighborhood!r}") from None

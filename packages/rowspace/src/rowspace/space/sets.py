"""Sets of rows: the odd one out, and the similarity of two sets.

Rules and results are gensim's: the odd one out is found among unit rows, two sets are compared by the means of their
rows without normalization.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.similarity import cosine, unit_rows

__all__ = ["mean_unit_row", "odd_one_out", "set_distance", "set_similarity"]

Rows = NDArray[np.floating[Any]]


def mean_unit_row(rows: Rows) -> NDArray[np.float64]:
    """Return the mean (d,) float64 of the rows (n, d), each first scaled to length 1.

    Raises:
        UsageError: there are no rows.

    >>> mean_unit_row(np.array([[3.0, 0.0], [0.0, 5.0]]))
    array([0.5, 0.5])
    """
    _check_filled("rows", rows)
    return cast("NDArray[np.float64]", unit_rows(rows).mean(axis=0))


def odd_one_out(rows: Rows) -> int:
    """Return the index of the row of (n, d) with the largest angle to the mean of the unit rows.

    Ties go to the first row. This is gensim's `doesnt_match`.

    Raises:
        UsageError: fewer than three rows, or one with NaN or infinity.

    >>> odd_one_out(np.array([[0.72, -0.41, 0.15], [-0.12, 0.05, 0.88], [0.68, -0.38, 0.22]]))
    1
    """
    if len(rows) < 3:
        raise UsageError(f"an odd one out needs at least 3 tokens, got {len(rows)}; give more tokens")
    if not np.isfinite(rows).all():
        raise UsageError("a row has NaN or infinity, so its angle is not known; leave out its token")
    # Rounded, so that ties are not broken by the last bit of a sum.
    return int(np.argmin(np.asarray(cosine(rows, mean_unit_row(rows)), np.float32)))


def set_similarity(rows_a: Rows, rows_b: Rows) -> float:
    """Return the cosine of the mean of `rows_a` (n, d) with the mean of `rows_b` (m, d).

    This is gensim's `n_similarity`: the rows are not normalized, so longer rows have more weight.

    Raises:
        UsageError: a set is empty.

    >>> set_similarity(np.array([[3.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 2.0]]))
    0.0
    """
    _check_filled("rows_a", rows_a)
    _check_filled("rows_b", rows_b)
    return float(cosine(np.mean(rows_a, 0, dtype=np.float64), np.mean(rows_b, 0, dtype=np.float64)))


def set_distance(rows_a: Rows, rows_b: Rows) -> float:
    """Return 1 - `set_similarity`: 0 for the same direction, 2 for opposite directions.

    >>> set_distance(np.array([[1.0, 0.0]]), np.array([[0.0, 7.0]]))
    1.0
    """
    return 1.0 - set_similarity(rows_a, rows_b)


def _check_filled(name: str, rows: Rows) -> None:
    """Raise `UsageError` if a set of rows is empty."""
    if len(rows) == 0:
        raise UsageError(f"{name} is empty, so it has no mean; give at least one token")

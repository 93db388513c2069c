"""Rows of zeros have no direction: they have no angle to other rows, and are neighbors of none by cosine."""

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["check_direction", "compared_norms"]


def compared_norms(table: Table, metric: str) -> NDArray[np.float64]:
    """Return the norms (V,) for `space.nearest`, by cosine NaN in place of zero, which leaves the row out.

    >>> compared_norms(Table(["cat", "zero"], np.array([[3.0, 4.0], [0.0, 0.0]])), "cosine")
    array([ 5., nan])
    """
    return table.norms if metric != "cosine" else np.where(table.norms > 0, table.norms, np.nan)


def check_direction(table: Table, word: str, row: NDArray[np.floating], *, lacks: str = "neighbors") -> None:
    """Raise a UsageError that says what the row of a word lacks, if all its numbers are zero."""
    if not row.any():
        raise UsageError(f"the row of {table.shown(word)!r} is zero, so it has no {lacks}; use another word")

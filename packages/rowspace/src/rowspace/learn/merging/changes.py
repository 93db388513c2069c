"""`changes`: how far the tokens that tables share moved from each table to the next, most changed first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.learn.merging.align import align as align_table, shared_ids
from rowspace.table import Table

__all__ = ["Changes", "changes"]


@dataclass(frozen=True, eq=False)
class Changes:
    """How far tokens moved from one table to the next.

    Attributes:
        tokens: The tokens that both tables have and that are frequent enough, most changed first.
        cosines: (n,) float64, the cosine of each token's rows in both tables, ascending: 1 is no change.
        before: The earlier table, aligned to its predecessor if it has one.
        after: The later table, aligned to `before`.
    """

    tokens: list[str]
    cosines: NDArray[np.float64]
    before: Table
    after: Table


def changes(tables: Sequence[Table], *, min_count: int = 20, align: bool = True) -> list[Changes]:
    """Return how far each token moved between consecutive tables, such as tables of texts of consecutive years.

    Each table is aligned to the one before it on all tokens that both have (Hamilton et al. 2016). The rows of rare
    tokens differ by chance, and so, to a lesser degree, do all rows of two fits; compare with the median.

    Args:
        tables: At least two, in their order in time.
        min_count: Leave out tokens with a lower count in one of two tables; of no effect if one has no counts.
        align: Align the tables; False for tables that are in the same axes.

    Returns:
        One `Changes` for each table but the first.

    Raises:
        UsageError: There are fewer than two tables, two share no token or differ in width, or no token is frequent
            enough.

    >>> rows = np.random.default_rng(0).normal(size=(26, 3))
    >>> moved = rows @ np.eye(3)[[2, 0, 1]]
    >>> moved[4] *= -1
    >>> letters = list("abcdefghijklmnopqrstuvwxyz")
    >>> step, = changes([Table(letters, rows), Table(letters, moved)])
    >>> step.tokens[0]
    'e'
    """
    check_whole_number("min_count", min_count, 0, 2**63 - 1)
    if isinstance(tables, Table) or len(tables) < 2:
        raise UsageError("changes needs at least two tables in their order in time; give a list of them")
    steps: list[Changes] = []
    for following in tables[1:]:
        before = steps[-1].after if steps else tables[0]
        after = align_table(following, before) if align else following
        steps.append(_step(before, after, min_count))
    return steps


def _step(before: Table, after: Table, min_count: int) -> Changes:
    """Compare the rows of two tables in the same axes."""
    ids, later = shared_ids(before, after)
    if before.counts is not None and after.counts is not None:
        frequent = np.minimum(before.counts[ids], after.counts[later]) >= min_count
        ids, later = ids[frequent], later[frequent]
    if not len(ids):
        raise UsageError(f"no token that two tables share has a count of at least {min_count}; give a lower min_count")
    units = (space.unit_rows(table.rows[rows]) for table, rows in ((before, ids), (after, later)))
    cosines = np.clip(np.vecdot(*units), -1, 1)
    order = np.argsort(cosines, kind="stable")
    return Changes([before.vocabulary[row] for row in ids[order]], cosines[order], before, after)

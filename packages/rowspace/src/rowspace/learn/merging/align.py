"""`align`: a table in the axes of another one, by the rotation that is best for the tokens that both have."""

import dataclasses
import warnings
from collections.abc import Iterable
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.options import check_option_names, shows_options
from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.learn.merging.options import AlignKeywords, AlignOptions
from rowspace.learn.merging.shared import check_tables
from rowspace.table import Table

__all__ = ["align", "shared_ids"]

Ids = NDArray[np.int64]


@shows_options(AlignOptions)
def align(
    table: Table, to: Table, *, pairs: Iterable[tuple[str, str]] | None = None, **options: Unpack[AlignKeywords]
) -> Table:
    """Return `table` with its rows rotated into the axes of `to`, so that rows of both tables can be compared.

    The rotation is the best one, by least squares, for pairs of tokens (`rowspace.space.align`); rows of zeros or with
    NaN take no part. Without `center` and `scale` all similarities within the table stay as they are.

    Args:
        table: The table to rotate; its n-gram rows, if it has any, are rotated too.
        to: The table whose axes to take.
        pairs: Pairs of a token of `table` and one of `to`, for example a bilingual dictionary; pairs with an unknown
            token are left out. None takes the tokens that both tables have.
        **options: The fields of `AlignOptions`.

    Returns:
        A table with the same tokens, counts and dtype. `settings` has the number of pairs, `aligned_pairs`, and the
        mean cosine of the pairs' rows afterwards, `aligned_cosine`.

    Raises:
        UsageError: No pair is left, the tables differ in width, or an option is invalid.

    >>> rows = np.random.default_rng(0).normal(size=(4, 2))
    >>> first = Table(["a", "b", "c", "d"], rows)
    >>> second = Table(["d", "c", "b"], rows[:0:-1] @ np.array([[0.0, 1.0], [-1.0, 0.0]]))
    >>> np.allclose(align(second, first)["c"], first["c"])
    True
    """
    check_option_names("align", options, AlignOptions)
    chosen = AlignOptions(**options)
    check_tables(table, to)
    _check_widths(table, to)
    if chosen.center and table.subwords is not None:
        raise UsageError("center cannot be used with a table of n-grams, whose rows are means; omit it")
    ids, to_ids = shared_ids(table, to) if pairs is None else _ids_of_pairs(table, to, pairs)
    found = _fitted(table, to, ids, to_ids, center=chosen.center, scale=chosen.scale)
    for _ in range(chosen.refine):
        ids, to_ids = _pairs_found(found, table, to, chosen.refine_tokens)
        found = _fitted(table, to, ids, to_ids, center=chosen.center, scale=chosen.scale)
    aligned = _mapped(table, found)
    units = (space.unit_rows(side.rows[rows]) for side, rows in ((aligned, ids), (to, to_ids)))
    aligned.settings |= {"aligned_pairs": len(ids), "aligned_cosine": float(np.vecdot(*units).mean())}
    return aligned


def shared_ids(table: Table, to: Table) -> tuple[Ids, Ids]:
    """Return the ids in both tables of the tokens that both have, without rows of zeros or with NaN.

    Raises:
        UsageError: There is none.
    """
    found = to.find(table.vocabulary)
    ids = np.flatnonzero(found >= 0)
    used = _with_direction(table, to, ids, found[ids])
    if not len(used[0]):
        raise UsageError(
            f"the tables share no token (the first has {table.vocabulary[0]!r}, the other {to.vocabulary[0]!r}); give "
            "align pairs of tokens that mean the same, and merge the aligned tables with align=False"
            if not len(ids)
            else "all rows of the tokens that the tables share are zeros or not finite; give pairs of other tokens"
        )
    return used


def _fitted(
    table: Table, to: Table, ids: Ids, to_ids: Ids, *, center: bool = False, scale: bool = False
) -> space.Alignment:
    """Return the alignment of the rows `ids` of a table to the rows `to_ids` of another one.

    Warns if the pairs are fewer than the columns, which do not determine a rotation.
    """
    if len(ids) < table.dim:
        warnings.warn(
            f"{plural(len(ids), 'pair does', 'pairs do')} not determine a rotation of {table.dim} columns, so tokens "
            "without a pair may be misplaced; give more pairs",
            stacklevel=3,
        )
    return space.align(table.rows[ids], to.rows[to_ids], center=center, scale=scale)


def _ids_of_pairs(table: Table, to: Table, pairs: Iterable[tuple[str, str]]) -> tuple[Ids, Ids]:
    """Return the ids of pairs of tokens, of those that both tables know; raise `UsageError` if there is none."""
    listed = list(pairs)
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in listed):
        raise UsageError("pairs must be a list of pairs of tokens, such as [('cat', 'chat'), ('dog', 'chien')]")
    ids, to_ids = table.find([one for one, _ in listed]), to.find([two for _, two in listed])
    known = (ids >= 0) & (to_ids >= 0)
    used = _with_direction(table, to, ids[known], to_ids[known])
    if not len(used[0]):
        raise UsageError(
            f"none of {plural(len(listed), 'pair')} is in the tables with rows that are not zero; give pairs of a "
            "token of the first table and one of the second"
        )
    return used


def _pairs_found(found: space.Alignment, table: Table, to: Table, limit: int) -> tuple[Ids, Ids]:
    """Return the ids of the mutual nearest neighbors among the first tokens of both tables."""
    pairs = space.mutual_neighbors(found.apply(np.asarray(table.rows[:limit])), np.asarray(to.rows[:limit])).pairs
    return pairs[:, 0], pairs[:, 1]


def _with_direction(table: Table, to: Table, ids: Ids, to_ids: Ids) -> tuple[Ids, Ids]:
    """Return those pairs of ids whose rows are both finite and not zero."""
    norms, to_norms = table.norms[ids], to.norms[to_ids]
    used = np.isfinite(norms) & np.isfinite(to_norms) & (norms > 0) & (to_norms > 0)
    return ids[used], to_ids[used]


def _mapped(table: Table, found: space.Alignment) -> Table:
    """Return the table with mapped rows, of tokens and of n-grams."""
    subwords = table.subwords
    if subwords is not None:
        subwords = dataclasses.replace(subwords, rows=found.apply(subwords.rows), own=found.apply(subwords.own))
    return Table(
        table.vocabulary,
        found.apply(table.rows),
        table.counts,
        tokenizer=table.tokenizer,
        settings=table.settings,
        subwords=subwords,
    )


def _check_widths(table: Table, to: Table) -> None:
    if table.dim != to.dim:
        raise UsageError(
            f"the tables have rows of {table.dim} and of {to.dim} numbers, but tables are aligned by a rotation, which "
            "needs equal widths; learn them with the same dim, or reduce the wider one with rowspace.space.pca"
        )

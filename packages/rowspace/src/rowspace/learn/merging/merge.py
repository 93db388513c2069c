"""`rowspace.merge`: several tables → one, with the share of neighbors that it keeps.

The methods `average`, `slerp` and `task` take `rows` (n, b, d), those of n aligned tables for b tokens, and `has`
(n, b), which tables have a token, and return (b, d) float64. A token that no table has gets zeros.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.options import check_option_names, shows_options
from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.learn.merging.align import align as align_table
from rowspace.learn.merging.options import MergeKeywords, MergeOptions
from rowspace.learn.merging.shared import check_tables, merged_counts, merged_tokenizer, merged_vocabulary
from rowspace.table import Table

__all__ = ["average", "merge", "slerp", "task"]

Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]

BLOCK_NUMBERS = 1 << 21  # of float64 in the rows that are merged at once
PARALLEL = 1e-6  # radians from 0 or π, where a great circle is not determined well enough
COMPARED_TOKENS = 50_000  # the first tokens, whose neighbors are compared


class _Sources(NamedTuple):
    """Aligned tables, the base last if there is one, and the id of each merged token in them, -1 if it has none."""

    tables: list[Table]
    ids: list[Ids]


@shows_options(MergeOptions)
def merge(
    tables: Sequence[Table],
    *,
    weights: Sequence[float] | None = None,
    base: Table | None = None,
    **options: Unpack[MergeKeywords],
) -> Table:
    """Merge tables into one with the tokens of all.

    The tables are aligned to the first one, or to the base, on the tokens that they share, since the axes of two fits
    have nothing in common. A row of zeros or with NaN counts as missing. A token that only some tables have gets the
    merged row of these (`missing="keep"`), one that only the base has its row there.

    Args:
        tables: At least two, of equal width; exactly two for "slerp"; one or more for "task".
        weights: One number for each table. For "average" and "slerp" shares of the row, all equal by default; for
            "task" the factor of each difference, 1 by default; a negative one takes the difference away.
        base: The table that the others come from, for "task" only.
        **options: The fields of `MergeOptions`.

    Returns:
        A table in the axes of the first table or the base, with the sum of all known counts, and in the widest dtype.
        `settings` has the method and weights, and for each table `neighbors_kept`, the share of its tokens' `neighbors`
        nearest that are also nearest in the merged table, over at most 1,000 of the first 50,000 tokens of both.
        `neighbors_kept_between` is that share from table to table before the merge.

    Raises:
        UsageError: The number of tables or weights does not fit the method, an option is invalid, tables differ in
            width or share no token, tokenizers differ (other than in their words), or a table has n-grams.

    >>> rows = np.random.default_rng(0).normal(size=(3, 2))
    >>> first = Table(["a", "b", "c"], rows, np.array([5, 3, 1]))
    >>> second = Table(["a", "b", "d"], rows[:, ::-1], np.array([4, 3, 2]))
    >>> merged = merge([first, second])
    >>> merged.vocabulary, merged.counts.tolist(), np.allclose(merged["a"], first["a"])
    (['a', 'b', 'd', 'c'], [9, 6, 2, 1], True)
    """
    check_option_names("merge", options, MergeOptions)
    chosen = MergeOptions(**options)
    parents = _checked(tables, base, chosen)
    shares = _checked_weights(weights, len(parents), chosen.method)
    everything = parents if base is None else [*parents, base]
    vocabulary = merged_vocabulary(everything, drop=chosen.missing == "drop")
    if not vocabulary:
        raise UsageError("no token is in all tables, so missing='drop' leaves none; use missing='keep'")
    tokenizer = merged_tokenizer(everything, vocabulary)
    aligned, facts = _aligned(parents, base, chosen)
    sources = _Sources(aligned, [table.find(vocabulary) for table in aligned])
    merged = Table(
        vocabulary,
        _merged_rows(sources, chosen.method, shares),
        merged_counts(parents, vocabulary),
        tokenizer=tokenizer,
        settings={"merged": chosen.method, "weights": shares.tolist(), "missing": chosen.missing, **facts},
    )
    if chosen.neighbors:
        merged.settings |= _neighbors_kept(parents, merged, chosen.neighbors)
    return merged


def _checked(tables: Sequence[Table], base: Table | None, options: MergeOptions) -> list[Table]:
    """Return the tables as a list; raise `UsageError` unless they, their number and the base fit the method."""
    parents = [tables] if isinstance(tables, Table) else list(tables)
    check_tables(*parents, *([] if base is None else [base]))
    if options.method == "slerp" and len(parents) != 2:
        raise UsageError(f"method 'slerp' merges exactly 2 tables, not {len(parents)}; use method='average'")
    if len(parents) < (1 if options.method == "task" else 2):
        raise UsageError(
            f"tables must be a list of at least {1 if options.method == 'task' else 2} for method {options.method!r}, "
            f"got {len(parents)}; give more tables"
        )
    if (base is None) == (options.method == "task"):
        raise UsageError(
            "method 'task' needs a base, the table that the others come from; give base"
            if base is None
            else f"method {options.method!r} has no base; omit it, or use method='task'"
        )
    for number, table in enumerate(parents if base is None else [*parents, base]):
        name = f"table {number + 1}" if number < len(parents) else "the base"
        if table.dim != parents[0].dim:
            raise UsageError(
                f"{name} has rows of {table.dim} numbers and table 1 of {parents[0].dim}, but merged tables must have "
                "the same width; learn them with the same dim, or reduce the wider one with rowspace.space.pca"
            )
        if table.subwords is not None:
            raise UsageError(
                f"{name} has rows of n-grams, which cannot be merged; merge the rows of its words alone: "
                "Table(table.vocabulary, table.rows, table.counts), or rowspace convert TABLE TABLE.bin"
            )
    return parents


def _checked_weights(weights: Sequence[float] | None, number: int, method: str) -> Doubles:
    """Return the weights, (number,), with the sum 1 except for "task"; raise `UsageError` if they do not fit."""
    if weights is None:
        return np.ones(number) if method == "task" else np.full(number, 1 / number)
    try:
        shares = np.asarray(list(weights), np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"weights must be {plural(number, 'number')}, one for each table, not {weights!r}") from None
    if shares.shape != (number,) or not np.isfinite(shares).all():
        raise UsageError(f"weights must be {plural(number, 'number')}, one for each table, got {shares.tolist()}")
    if method == "task":
        return shares
    if (shares < 0).any() or not shares.any():
        raise UsageError(
            f"weights of method {method!r} are shares, so they must be at least 0 and not all 0, got "
            f"{shares.tolist()}; method='task' takes negative ones"
        )
    return np.asarray(shares / shares.sum())


def _aligned(parents: list[Table], base: Table | None, options: MergeOptions) -> tuple[list[Table], dict[str, Any]]:
    """Return the tables in the axes of the base or of the first one, with the base last, and facts about it."""
    to = parents[0] if base is None else base
    if not options.align:
        return ([*parents] if base is None else [*parents, base]), {"aligned": False}
    aligned = [table if table is to else align_table(table, to, scale=options.scale) for table in parents]
    changed = [table.settings for table in aligned if table is not to]
    facts = {name: [settings[name] for settings in changed] for name in ("aligned_pairs", "aligned_cosine")}
    return (aligned if base is None else [*aligned, base]), {"aligned": True, **facts}


def _merged_rows(sources: _Sources, method: str, weights: Doubles) -> NDArray[np.floating[Any]]:
    """Return the merged rows (V, d), computed in float64 in blocks."""
    dtype = np.result_type(*(table.rows.dtype for table in sources.tables))
    size, dim = len(sources.ids[0]), sources.tables[0].dim
    rows = np.empty((size, dim), dtype)
    step = max(1, BLOCK_NUMBERS // (dim * len(sources.tables)))
    for start in range(0, size, step):
        span = slice(start, start + step)
        block, has = _block(sources, span)
        if method == "average":
            rows[span] = average(block, has, weights)
        elif method == "slerp":
            rows[span] = slerp(block, has, weights)
        else:
            rows[span] = task(block[:-1], has[:-1], weights, block[-1], has[-1])
    return rows


def _block(sources: _Sources, span: slice) -> tuple[Doubles, NDArray[np.bool_]]:
    """Return the rows (n, b, d) of some tokens, zeros where they are missing, and which are there, (n, b)."""
    blocks, flags = [], []
    for table, ids in zip(sources.tables, sources.ids, strict=True):
        some = ids[span]
        has = some >= 0
        block = np.zeros((len(some), table.dim))
        block[has] = table.rows[some[has]]
        has &= np.isfinite(block).all(axis=1) & block.any(axis=1)
        block[~has] = 0
        blocks.append(block)
        flags.append(has)
    return np.stack(blocks), np.stack(flags)


def _neighbors_kept(parents: list[Table], merged: Table, k: int) -> dict[str, Any]:
    """Return the share of neighbors that the merged table keeps of each table, and tables of each other."""
    kept = [_share_kept(table, merged, merged, k) for table in parents]
    between = [_share_kept(one, two, merged, k) for one, two in itertools.combinations(parents, 2)]
    known = [share for share in between if share is not None]
    return {
        "neighbors": k,
        "neighbors_kept": kept,
        "neighbors_kept_between": round(sum(known) / len(known), 4) if known else None,
    }


def _share_kept(one: Table, two: Table, merged: Table, k: int) -> float | None:
    """Return the share of neighbors that two tables have in common, over the first tokens of both; None if too few."""
    ids, others = one.find(merged.vocabulary), two.find(merged.vocabulary)
    shared = np.flatnonzero((ids >= 0) & (others >= 0))[:COMPARED_TOKENS]
    ids, others = ids[shared], others[shared]
    used = (one.norms[ids] > 0) & (two.norms[others] > 0)
    share = space.neighbors_kept(one.rows[ids[used]], two.rows[others[used]], k=k)
    return None if math.isnan(share) else round(share, 4)


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

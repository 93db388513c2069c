"""`rowspace.compare`: which tokens of two tables moved or changed neighbors, and which by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.options import check_option_names, shows_options
from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.learn.merging.comparison import Comparison, null_limits
from rowspace.learn.merging.options import CompareKeywords, CompareOptions
from rowspace.learn.merging.shared import SharedTokens, check_tables, shared_tokens
from rowspace.table import Table

__all__ = ["compare"]

Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]
Rows = NDArray[np.floating[Any]]

FITTED = 50_000  # shared tokens, the first of the first table, that a rotation is fitted to
PAIRS = 20_000  # pairs of tokens whose similarities are correlated

# Of the agreement after the best rotation, what two tables in the same axes have without any. Measured: 0.99 and above
# after tuning or a fit that continues, below 0.7 for other fits, also in two columns or with the same seed.
SAME_AXES = 0.9


@shows_options(CompareOptions)
def compare(
    before: Table, after: Table, *, null: Table | Sequence[Table] = (), **options: Unpack[CompareKeywords]
) -> Comparison:
    """Compare two tables: before and after tuning, of two corpora, or of two methods.

    A token moved if its rows differ, after the second table is rotated into the axes of the first one if these are
    others (orthogonal Procrustes, Hamilton et al. 2016). It changed neighbors if other tokens are its nearest
    (Gonen et al. 2020), which needs no common axes.

    The rows of two fits of the same text with different seeds differ too, especially those of rare tokens. Pass such
    tables as `null` to measure by how much: a token is beyond the null if it changed more than 95 % of the tokens with
    similar counts change from the first table to those of the null. A refit of the same text varies only in how it was
    learned. To compare two corpora, pass tables learned from other samples of the first corpus, of the same size, so
    that the null also varies in its text.

    Args:
        before: The first table.
        after: The second table.
        null: Tables that differ from the first one by chance only.
        **options: The fields of `CompareOptions`.

    Returns:
        The tokens, most changed first, and the figures of the whole.

    Raises:
        UsageError: The tables share fewer than three tokens, their rows are identical, they differ in width and `by`
            or `align` needs equal widths, or an option is invalid.

    >>> rows = np.random.default_rng(0).normal(size=(26, 3))
    >>> moved = rows @ np.eye(3)[[2, 0, 1]]
    >>> moved[4] *= -1
    >>> letters = list("abcdefghijklmnopqrstuvwxyz")
    >>> comparison = compare(Table(letters, rows), Table(letters, moved))
    >>> comparison.tokens[0], comparison.facts["aligned"]
    ('e', True)
    """
    check_option_names("compare", options, CompareOptions)
    chosen = CompareOptions(**options)
    chance = [null] if isinstance(null, Table) else list(null)
    check_tables(before, after, *chance)
    by = _measure([before, after, *chance], chosen)
    shared = shared_tokens(before, after, chance, chosen.min_count)
    drawn = np.sort(np.random.default_rng(chosen.seed).permutation(len(shared.ids[0]))[: chosen.sample])
    first = _Side(before, shared.ids[0], drawn, chosen)
    found, *others = [
        first.changed(_Side(table, ids, drawn, chosen), number)
        for number, (table, ids) in enumerate(zip([after, *chance], shared.ids[1:], strict=True))
    ]
    counts = None if shared.counts is None else shared.counts[drawn]
    changes, limits = found.by(by), null_limits(np.stack([each.by(by) for each in others]), counts) if others else None
    facts = {"by": by, **_facts(first, found, after, shared)}
    if limits is not None:
        facts |= _null_facts(changes, limits, others, by)
    return _sorted(
        Comparison(
            [before.vocabulary[row] for row in first.ids[drawn]], counts, found.overlaps, found.cosines, changes,
            limits, before, after, first.ids, shared.ids[1], facts,
        )
    )  # fmt: skip


def _measure(tables: Sequence[Table], options: CompareOptions) -> str:
    """Return what tokens are sorted by; raise `UsageError` if that or the alignment needs equal widths."""
    other = next((table.dim for table in tables if table.dim != tables[0].dim), None)
    if other is not None and (options.by == "cosine" or options.align is not None):
        raise UsageError(
            f"the tables have rows of {tables[0].dim} and of {other} numbers, so that only their neighbors can be "
            "compared; use by='neighbors' and omit align"
        )
    return options.by or ("cosine" if other is None else "neighbors")


@dataclass(frozen=True, eq=False)
class _Changes:
    """What changed from the first table to another one, for each drawn token."""

    overlaps: Doubles
    cosines: Doubles | None
    aligned: bool | None
    correlation: float

    def by(self, measure: str) -> Doubles:
        kept = self.overlaps if measure == "neighbors" or self.cosines is None else self.cosines
        changed: Doubles = 1 - kept
        return changed


class _Side:
    """A table's rows (n, d) of the shared tokens, and the neighbors (m, k) of the drawn ones."""

    def __init__(self, table: Table, ids: Ids, drawn: Ids, options: CompareOptions) -> None:
        self.ids, self.drawn, self.options = ids, drawn, options
        self.rows, norms = np.asarray(table.rows[ids]), table.norms[ids]
        k = min(options.neighbors, (len(ids) - 1) // 2)  # of nearly all tokens, most would be the same by chance
        self.near = space.nearest(self.rows[drawn], self.rows, k, exclude=drawn[:, np.newaxis], row_norms=norms)[0]

    def changed(self, other: "_Side", number: int) -> _Changes:
        """Compare with another side: that of the second table if its number is 0, else of a table of the null."""
        if self.rows.shape == other.rows.shape and np.array_equal(self.rows, other.rows):
            raise UsageError(
                f"table {number} of the null has the same rows as the first table; give a fit with another seed"
                if number
                else f"both tables have the same rows for all {plural(len(self.ids), 'token')} that are compared, so "
                "nothing changed; give two tables that differ"
            )
        aligned, cosines = self._cosines(other)
        return _Changes(self._overlaps(other), cosines, aligned, self._correlation(other))

    def _overlaps(self, other: "_Side") -> Doubles:
        k, pairs = self.near.shape[1], zip(self.near, other.near, strict=True)
        return np.array([np.intersect1d(one, two, assume_unique=True).size / k for one, two in pairs])

    def _cosines(self, other: "_Side") -> tuple[bool | None, Doubles | None]:
        """Return whether the other side was rotated, and the cosines of the drawn rows; None if widths differ."""
        if self.rows.shape != other.rows.shape:
            return None, None
        rows, align = other.rows[self.drawn], self.options.align
        if align is not False:
            found = space.align(other.rows[:FITTED], self.rows[:FITTED])
            align = align or not _in_same_axes(found, self.rows, other.rows)
            rows = found.apply(rows) if align else rows
        units = (space.unit_rows(np.asarray(side, np.float64)) for side in (self.rows[self.drawn], rows))
        return align, np.clip(np.vecdot(*units), -1, 1)

    def _correlation(self, other: "_Side") -> float:
        """Return Spearman's correlation of the cosines of pairs of tokens, drawn at random."""
        pairs = np.random.default_rng(self.options.seed).integers(0, len(self.ids), (2, PAIRS))
        pairs = pairs[:, pairs[0] != pairs[1]]
        sides = ([space.unit_rows(np.asarray(side.rows[ids], np.float64)) for ids in pairs] for side in (self, other))
        return space.spearman(*(np.vecdot(*units) for units in sides)).r


def _in_same_axes(found: space.Alignment, rows: Rows, others: Rows) -> bool:
    """Whether the best rotation hardly brings the rows nearer: they have the same axes already."""
    left, right = (np.asarray(side[:FITTED], np.float64) for side in (others, rows))
    rotated = float(np.vecdot(left @ found.rotation, right).sum())
    return float(np.vecdot(left, right).sum()) > SAME_AXES * rotated


def _facts(first: _Side, found: _Changes, after: Table, shared: SharedTokens) -> dict[str, Any]:
    return {
        "neighbors": first.near.shape[1],
        "aligned": found.aligned,
        "shared": shared.number,
        "only_before": shared.only_before,
        "only_after": len(after) - shared.number,
        "left_out": shared.left_out,
        "same_tokenizer": shared.same_tokenizer,
        "eligible": len(first.ids),
        "compared": len(first.drawn),
        "median_overlap": float(np.median(found.overlaps)),
        "median_cosine": None if found.cosines is None else float(np.median(found.cosines)),
        "correlation": found.correlation,
    }


def _null_facts(changes: Doubles, limits: Doubles, others: list[_Changes], by: str) -> dict[str, Any]:
    cosines = [each.cosines for each in others if each.cosines is not None]
    return {
        "null_tables": len(others),
        "null_median_overlap": float(np.median([each.overlaps for each in others])),
        "null_median_cosine": float(np.median(cosines)) if len(cosines) == len(others) else None,
        "beyond": int((changes > limits).sum()),
        "beyond_share": float((changes > limits).mean()),
        "expected_share": float(np.mean([each.by(by) > limits for each in others])),
    }


def _sorted(found: Comparison) -> Comparison:
    """Return the comparison with its tokens sorted, most changed first; ties in the order of the first table."""
    order = np.argsort((0 if found.limits is None else found.limits) - found.changes, kind="stable")
    return replace(
        found,
        tokens=[found.tokens[place] for place in order],
        counts=None if found.counts is None else found.counts[order],
        overlaps=found.overlaps[order],
        cosines=None if found.cosines is None else found.cosines[order],
        changes=found.changes[order],
        limits=None if found.limits is None else found.limits[order],
    )

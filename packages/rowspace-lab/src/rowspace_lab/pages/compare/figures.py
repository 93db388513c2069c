"""The figures of the Compare page."""

import warnings
from collections.abc import Sequence

import numpy as np

from rowspace.learn import Comparison, compare
from rowspace.table import Table
from rowspace_lab.pages.compare.replies import ComparedTokens, WordNeighbors
from rowspace_lab.shared.figure import Array

SAMPLE = 2000
NEIGHBORS = 10  # of a word, that are shown


def compare_tables(
    before: Table, after: Table, null: Sequence[Table] = (), *, by: str | None, min_count: int
) -> Comparison:
    """Compare two tables, with those that differ from the first by chance only as the null."""
    with warnings.catch_warnings(action="ignore"):  # of different tokenizers, which the result has as a fact
        return compare(before, after, null=null, by=by, min_count=min_count, sample=SAMPLE)  # type: ignore[arg-type]  # compare checks `by`


def kept_in_null(
    comparison: Comparison, before: Table, after: Table, null: Sequence[Table] = (), *, min_count: int
) -> Array:
    """Return what each token kept from the first table to each of the null: (tables, tokens)."""
    place, by = {token: at for at, token in enumerate(comparison.tokens)}, comparison.facts["by"]
    kept = np.full((len(null), len(place)), np.nan)
    for number, table in enumerate(null):
        others = [after, *null[:number], *null[number + 1 :]]  # so that the same tokens are compared
        found = compare_tables(before, table, others, by=by, min_count=min_count)
        kept[number, [place[token] for token in found.tokens]] = 1 - found.changes
    return kept


def compared_figure(comparison: Comparison, chance: Array) -> ComparedTokens:
    """Return the tokens with their places in the chart, and the figures of the whole."""
    found, facts = comparison, comparison.facts
    unknown = np.full(len(found.tokens), np.nan)
    ids, counts = found.before.ids(found.tokens), found.counts
    if counts is None and found.before.counts is not None:
        counts = found.before.counts[ids]
    out = facts["left_out"]
    return {
        "tokens": found.tokens,
        "by": facts["by"],
        "x": "place" if counts is None else "count",
        "counted": found.counts is not None,
        "at": ids + 1 if counts is None else counts,
        "kept": found.overlaps if found.cosines is None or facts["by"] == "neighbors" else found.cosines,
        "chance": chance,
        "limits": unknown if found.limits is None else 1 - found.limits,
        "overlaps": found.overlaps,
        "cosines": unknown if found.cosines is None else found.cosines,
        "neighbors": facts["neighbors"],
        "aligned": facts["aligned"],
        "shared": facts["shared"],
        "only_before": facts["only_before"],
        "only_after": facts["only_after"],
        "rare": out["rare"],
        "without_row": out["zeros"] + out["not_in_null"],
        "same_tokenizer": facts["same_tokenizer"],
        "eligible": facts["eligible"],
        "median": facts["median_cosine" if facts["by"] == "cosine" else "median_overlap"],
        "null_median": facts.get("null_median_cosine" if facts["by"] == "cosine" else "null_median_overlap"),
        "null_range": None if not len(chance) else [float(each) for each in np.nanquantile(chance, [0.05, 0.95])],
        "beyond": facts.get("beyond"),
        "expected_share": facts.get("expected_share"),
    }


def neighbors_figure(comparison: Comparison, *, word: str) -> WordNeighbors:
    """Find the nearest neighbors of a word in both tables."""
    ((before, after),) = comparison.neighbors([word], k=NEIGHBORS)
    return {"before": before, "after": after}

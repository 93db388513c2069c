"""The figures of the Compare page."""

import warnings

import numpy as np

from rowspace.learn import Comparison, compare
from rowspace.table import Table
from rowspace_lab.pages.compare.replies import ComparedTokens, WordNeighbors

SAMPLE = 2000
NEIGHBORS = 10  # of a word, that are shown


def compare_tables(
    before: Table, after: Table, *, by: str | None, min_count: int, null: Table | None = None
) -> Comparison:
    """Compare two tables, with a third one that differs from the first by chance as the null."""
    chance = () if null is None else null
    with warnings.catch_warnings(action="ignore"):  # of different tokenizers, which the result has as a fact
        return compare(before, after, null=chance, by=by, min_count=min_count, sample=SAMPLE)  # type: ignore[arg-type]


def compared_figure(comparison: Comparison) -> ComparedTokens:
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
        "at": ids + 1 if counts is None else counts,
        "kept": found.overlaps if found.cosines is None or facts["by"] == "neighbors" else found.cosines,
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
        "beyond": facts.get("beyond"),
        "expected_share": facts.get("expected_share"),
    }


def neighbors_figure(comparison: Comparison, *, word: str) -> WordNeighbors:
    """Find the nearest neighbors of a word in both tables."""
    ((before, after),) = comparison.neighbors([word], k=NEIGHBORS)
    return {"before": before, "after": after}

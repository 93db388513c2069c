"""Counts: count by rank, count against the norm and against the quality of the neighbors, and rarely seen rows."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.replies import CountBins, CountsReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES"]

RARE = 10
RANKS = 300
MAX_PER_BIN = 40


def count_curves(lab: Lab, query: Query) -> CountsReply:
    """Return the curves of counts; `counts` is empty if the table has none. `k` neighbors are compared."""
    figure = partial(count_bins_figure, k=query.integer("k", 10, low=1, high=50))
    found = lab.cached(("words/counts", figure.keywords["k"]), lambda: figure(lab.table))
    return {**found, "code": shown(lab, figure)}


def count_bins_figure(table: Table, *, k: int) -> CountBins:
    """Sort the counts; group the rows by count in powers of two; measure norms and neighbors in each group.

    The quality is the agreement of two halves: the share of a word's k nearest rows by cosine in the even dimensions
    that are also among its k nearest in the odd dimensions. Random rows agree by chance only.
    """
    counts = np.zeros(0, np.int64) if table.counts is None else np.array(table.counts)
    ranks = np.unique(np.geomspace(1, max(1, len(counts)), RANKS).round().astype(np.int64))[: len(counts)]
    valid = np.flatnonzero((counts > 0) & np.isfinite(table.norms)[: len(counts)])
    bins = np.floor(np.log2(counts[valid])).astype(np.int64)
    members = [valid[bins == bin] for bin in np.unique(bins)]
    quartiles = [np.percentile(table.norms[ids], [25, 50, 75]) for ids in members]
    agreement = [half_agreement(table.rows, draw(ids), k) for ids in members]
    return {
        "counted": table.counts is not None,
        "k": k,
        "by_chance": min(1.0, k / max(1, len(table) - 1)),
        "ranks": ranks,
        "counts": np.sort(counts)[::-1][ranks - 1],
        "rare": RARE,
        "rare_rows": int((counts < RARE).sum()),
        "rows": len(counts),
        "bin_counts": np.array([np.median(counts[ids]) for ids in members]),
        "sizes": np.array([len(ids) for ids in members], np.int64),
        "norms": np.array(quartiles).reshape(-1, 3),
        "agreement": np.array(agreement),
    }


def draw(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw a sample of the ids."""
    return np.sort(np.random.default_rng(0).permutation(ids)[:MAX_PER_BIN])


def half_agreement(rows: NDArray[np.floating[Any]], ids: NDArray[np.int64], k: int) -> float:
    """Compute the mean share of the ids' k nearest rows that the even and the odd dimensions have in common."""
    if rows.shape[1] < 2 or len(rows) < 2:
        return float("nan")
    even, odd = (
        space.nearest(half[ids], half, k, exclude=ids[:, np.newaxis])[0]
        for half in (np.ascontiguousarray(rows[:, start::2]) for start in (0, 1))
    )
    found = np.minimum((even >= 0).sum(1), (odd >= 0).sum(1)).clip(1)
    shared = [len((set(a) & set(b)) - {-1}) for a, b in zip(even.tolist(), odd.tolist(), strict=True)]
    return float(np.mean(shared / found))


ROUTES: Mapping[str, Handler] = {"words/counts": count_curves}

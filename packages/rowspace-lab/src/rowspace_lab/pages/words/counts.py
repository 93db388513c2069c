"""Counts: count by rank, count against the norm and against the known pairs found, and rarely seen rows."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.words.replies import CountBins, CountsReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.word_pairs import ANTONYMS, CODE_RELATIONS, ENGLISH_RELATIONS, GENDER, pairs_in, pairs_of

__all__ = ["ROUTES"]

RARE = 10
RANKS = 300
FEWEST = 5
"""The smallest number of known pairs for which a share is given."""


def count_curves(lab: Lab, query: Query) -> CountsReply:
    """Return the curves of counts; `counts` is empty if the table has none. `k` neighbors are compared."""
    figure = partial(count_bins_figure, k=query.integer("k", 10, low=1, high=50))
    found = lab.cached(("words/counts", figure.keywords["k"]), lambda: figure(lab.table))
    return {**found, "code": shown(lab, figure)}


def count_bins_figure(table: Table, *, k: int) -> CountBins:
    """Sort the counts; group the rows by count in powers of two; measure norms and neighbors in each group.

    Neighbors are measured on known pairs of related words: the share whose partner is among the k nearest rows by
    cosine, in both directions, in groups of the rarer word's count by powers of ten.
    """
    counts = np.zeros(0, np.int64) if table.counts is None else np.array(table.counts)
    ranks = np.unique(np.geomspace(1, max(1, len(counts)), RANKS).round().astype(np.int64))[: len(counts)]
    valid = np.flatnonzero((counts > 0) & np.isfinite(table.norms)[: len(counts)])
    bins = np.floor(np.log2(counts[valid])).astype(np.int64)
    members = [valid[bins == bin] for bin in np.unique(bins)]
    quartiles = [np.percentile(table.norms[ids], [25, 50, 75]) for ids in members]
    pairs = known_pairs(table)
    found = partner_found(table, pairs, k)
    rarer = counts[pairs].min(axis=1) if len(counts) else np.zeros(0, np.int64)
    powers = np.floor(np.log10(np.maximum(rarer, 1))).astype(np.int64)
    groups = [np.flatnonzero(powers == power) for power in np.unique(powers)]
    groups = [group for group in groups if len(group) >= FEWEST]
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
        "pairs": len(pairs) if len(counts) else 0,
        "fewest": FEWEST,
        "pair_counts": np.array([np.median(rarer[group]) for group in groups]),
        "pair_sizes": np.array([len(group) for group in groups], np.int64),
        "found": np.array([found[group].mean() for group in groups]),
    }


def known_pairs(table: Table) -> NDArray[np.int64]:
    """Return the ids of the known pairs whose words both have a learned row, (n, 2), each pair once."""
    texts = [*ENGLISH_RELATIONS.values(), *CODE_RELATIONS.values(), ANTONYMS, GENDER]
    pairs = [pair for text in texts for pair in pairs_in(table, pairs_of(text))]
    found = {tuple(sorted(table.ids(pair).tolist())) for pair in pairs}
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def partner_found(table: Table, pairs: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return for each pair (n, 2) the share of its two words whose k nearest rows by cosine have the other, (n,)."""
    if not len(pairs):
        return np.zeros(0)
    norms = np.where(table.norms > 0, table.norms, np.nan)  # a row of zeros is a neighbor of no other
    shares = [
        (space.nearest(table.rows[one], table.rows, k, exclude=one[:, np.newaxis], row_norms=norms)[0] == other).any(1)
        for one, other in ((pairs[:, 0], pairs[:, 1:]), (pairs[:, 1], pairs[:, :1]))
    ]
    mean: NDArray[np.float64] = np.mean(shares, axis=0)
    return mean


ROUTES: Mapping[str, Handler] = {"words/counts": count_curves}

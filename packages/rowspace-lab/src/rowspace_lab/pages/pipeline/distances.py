"""Distances between tokens by id, by one-hot vector and by row, before and after the vocabulary is renumbered."""

from collections.abc import Sequence

import numpy as np

from rowspace.table import Table
from rowspace_lab.pages.pipeline.figures import Array, Ids
from rowspace_lab.pages.pipeline.replies import TokenDistances


def renumber(count: int, *, seed: int) -> Ids:
    """Return the new id of each id: a random permutation, or the ids themselves for seed 0."""
    return np.random.default_rng(seed).permutation(count) if seed else np.arange(count)


def three_distances(table: Table, ids: Ids, new: Ids) -> list[Array]:
    """Return the distances of the new ids, of their one-hot vectors, and of their rows in the reordered table.

    `new` is the new id of each id, (V,).
    """
    place_of = np.argsort(new)  # row i of the reordered table is row place_of[i] of this one
    renumbered = new[ids]
    rows = table[place_of[renumbered]].astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # non-finite rows
        by_row = np.linalg.norm(rows[:, np.newaxis] - rows, axis=2)
    differs = renumbered[:, np.newaxis] != renumbered
    return [np.abs(renumbered[:, np.newaxis] - renumbered), np.sqrt(2.0 * differs), by_row]


def distances_figure(table: Table, ids: Ids, *, seed: int, limit: int) -> TokenDistances:
    """Compare the first `limit` distinct tokens of a text in three ways, and count the distances that changed."""
    first = np.sort(np.unique(ids, return_index=True)[1])[:limit]
    distinct, new = ids[first], renumber(len(table), seed=seed)
    before, after = three_distances(table, distinct, np.arange(len(table))), three_distances(table, distinct, new)
    return {
        "by_id": after[0],
        "by_one_hot": after[1],
        "by_row": after[2],
        "old_ids": distinct,
        "new_ids": new[distinct],
        "names": [table.vocabulary[number] for number in distinct],
        "changed": count_changed(before, after),
        "num_pairs": len(distinct) * (len(distinct) - 1) // 2,
    }


def count_changed(before: Sequence[Array], after: Sequence[Array]) -> list[int]:
    """Return how many pairs of tokens have another distance, for each way to compare them."""
    upper = np.triu_indices(len(before[0]), 1)
    return [
        int(np.count_nonzero(~np.isclose(old, new, equal_nan=True)[upper]))
        for old, new in zip(before, after, strict=True)
    ]

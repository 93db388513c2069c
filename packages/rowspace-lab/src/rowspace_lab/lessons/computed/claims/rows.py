"""Claims about the numbers of a row: what a coordinate means, ids as numbers, large dot products, and lengths."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims.verdict import Verdict

__all__ = ["coordinates", "ids_as_numbers", "large_dot", "normalized"]

Array = NDArray[Any]

MIN_ROWS = 20  # fewer rows are too few for shares of words
MAX_DIM = 1024  # a wider matrix takes too long to turn


def finite_sample(table: Table, *, limit: int, seed: int) -> NDArray[np.int64]:
    """Draw up to `limit` ids of rows that are finite and not zero, ascending."""
    ids = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))
    return np.sort(np.random.default_rng(seed).permutation(ids)[:limit])


def kurtosis(columns: Array) -> Array:
    """Return the kurtosis of each column, 3 for a normal distribution: large where a few rows stand out."""
    centered = columns - columns.mean(0)
    variance = (centered**2).mean(0)
    found: Array = (centered**4).mean(0) / np.where(variance > 0, variance, 1) ** 2
    return found


def coordinates_figure(table: Table, *, limit: int, directions: int, seed: int) -> Mapping[str, Any]:
    """Turn all rows by one random rotation, and compare columns with random directions."""
    ids = finite_sample(table, limit=limit, seed=seed)
    if len(ids) < MIN_ROWS or not 2 <= table.dim <= MAX_DIM:
        raise UsageError(
            f"at least {MIN_ROWS} words with rows of 2 to {MAX_DIM:,} numbers are needed to compare columns with "
            "other directions"
        )
    rows = np.asarray(table.rows[ids], np.float64)
    drawn = np.random.default_rng(seed)
    turn = np.linalg.qr(drawn.standard_normal((table.dim, table.dim)))[0]
    turned = rows @ turn
    k, own = min(10, len(ids) // 4), np.arange(len(ids))[:, np.newaxis]
    before, _ = space.nearest(rows, rows, k, exclude=own)
    after, _ = space.nearest(turned, turned, k, exclude=own)
    rays = drawn.standard_normal((table.dim, directions))
    typical = float(np.median(kurtosis(rows @ (rays / np.linalg.norm(rays, axis=0)))))
    axes = kurtosis(rows)
    kept = float((before[:, :, np.newaxis] == after[:, np.newaxis]).any(2).mean())
    peaked, noise = float((axes > typical).mean()), 0.5 / len(axes) ** 0.5
    return {
        "changed": float((np.abs(turned - rows) > 1e-6 * np.abs(rows).max()).mean()),
        "kept": kept,
        "axes": float(np.median(axes)),
        "directions": typical,
        "peaked": peaked,
        "noise": noise,
        "verdict": coordinates_verdict(kept=kept, peaked=peaked, noise=noise),
        "bars": {"kurtosis of columns": float(np.median(axes)), "of random directions": typical},
    }


def coordinates_verdict(*, kept: float, peaked: float, noise: float) -> Verdict:
    """False if turning keeps the neighbors and columns are like random directions; it depends if columns stand out.

    Columns stand out if more of them than chance allows, by three standard deviations, are more peaked than the median
    random direction.
    """
    if kept < 0.99:
        return "true"
    return "it depends" if peaked > 0.5 + 3 * noise else "false"


def ids_as_numbers_figure(table: Table, *, limit: int, seed: int) -> Mapping[str, Any]:
    """Renumber the vocabulary, and compare how near words are by id and by row."""
    ids = finite_sample(table, limit=limit, seed=seed)
    if len(ids) < MIN_ROWS:
        raise UsageError(f"at least {MIN_ROWS} words are needed to compare distances by id with distances by row")
    new = np.random.default_rng(seed).permutation(len(table))  # the new id of each word
    before, after = (np.abs(each[:, np.newaxis] - each) for each in (ids, new[ids]))
    rows = np.asarray(table.rows[ids], np.float64)
    moved = np.empty_like(table.rows)
    moved[new] = table.rows  # each row moves with its word
    upper = np.triu_indices(len(ids), 1)
    first, second = row_distances(rows), row_distances(np.asarray(moved[new[ids]], np.float64))
    k = min(10, len(ids) // 4)
    shares = [next_is_near(rows, order, k) for order in (np.arange(len(ids)), np.argsort(new[ids]))]
    chance = k / (len(ids) - 1)
    noise = (chance * (1 - chance) / len(ids)) ** 0.5
    by_id = float((before != after)[upper].mean())
    by_row = float((~np.isclose(first, second))[upper].mean())
    return {
        "by_id": by_id,
        "by_row": by_row,
        "k": k,
        "sorted": shares[0],
        "shuffled": shares[1],
        "chance": chance,
        "verdict": ids_as_numbers_verdict(by_id=by_id, by_row=by_row, excess=(shares[1] - chance) / noise),
        "bars": {"distances by id that change": by_id, "distances by row": by_row},
    }


def row_distances(rows: Array) -> Array:
    """Return the distances between all rows, (n, n)."""
    squares = (rows**2).sum(1)
    found: Array = np.sqrt(np.maximum(squares[:, np.newaxis] - 2 * rows @ rows.T + squares, 0))
    return found


def next_is_near(rows: Array, order: Array, k: int) -> float:
    """Return the share of rows whose successor in `order` is among their k nearest by cosine."""
    found, _ = space.nearest(rows, rows, k, exclude=np.arange(len(rows))[:, np.newaxis])
    return float((found[order[:-1]] == order[1:, np.newaxis]).any(1).mean())


def ids_as_numbers_verdict(*, by_id: float, by_row: float, excess: float) -> Verdict:
    """False if renumbering changes distances by id and none by row, and shuffled ids say nothing about nearness.

    They say nothing if the next id is a near row about as often as by chance, within four standard deviations.
    """
    if by_id > 0 and by_row == 0 and abs(excess) < 4:
        return "false"
    return "true" if by_id == 0 else "it depends"


def large_dot_figure(table: Table, *, limit: int, seed: int) -> Mapping[str, Any]:
    """Compare the nearest row by dot product with the nearest by cosine."""
    ids = finite_sample(table, limit=limit, seed=seed)
    usable = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))
    if len(ids) < MIN_ROWS:
        raise UsageError(f"at least {MIN_ROWS} words are needed to compare dot products with cosines")
    queries = np.asarray(table.rows[ids])
    by_dot, by_cosine = (
        space.nearest(queries, table.rows, 1, metric=metric, exclude=ids[:, np.newaxis])[0][:, 0]
        for metric in ("dot", "cosine")
    )
    low, median, high = np.quantile(table.norms[usable], [0.05, 0.5, 0.95])
    shared = float((by_dot == by_cosine).mean())
    longer = float((table.norms[by_dot] > median).mean())
    return {
        "shared": shared,
        "words": len(ids),
        "spread": float(high / low),
        "longer": longer,
        "verdict": large_dot_verdict(shared=shared),
        "bars": {"same nearest word by dot and cosine": shared, "nearest by dot is longer than the median": longer},
    }


def large_dot_verdict(*, shared: float) -> Verdict:
    """True if dot product and cosine name the same nearest word in 95% of cases, false if in less than half."""
    if shared >= 0.95:
        return "true"
    return "false" if shared < 0.5 else "it depends"


def normalized_figure(table: Table, *, within: float) -> Mapping[str, Any]:
    """Compare the norms of the rows with their median."""
    norms = table.norms[np.isfinite(table.norms) & (table.norms > 0)].astype(np.float64)
    if len(norms) < MIN_ROWS:
        raise UsageError(f"at least {MIN_ROWS} rows other than zero are needed to compare their norms")
    low, median, high = np.quantile(norms, [0.05, 0.5, 0.95])
    share = float((np.abs(norms / median - 1) <= within).mean())
    return {
        "low": float(low),
        "median": float(median),
        "high": float(high),
        "share": share,
        "within": within,
        "verdict": normalized_verdict(share=share),
        "bars": {"rows near the median norm": share},
    }


def normalized_verdict(*, share: float) -> Verdict:
    """True if the norms of 95% of the rows are within 1% of the median, false if those of fewer than half are."""
    if share >= 0.95:
        return "true"
    return "false" if share < 0.5 else "it depends"


coordinates = partial(coordinates_figure, limit=1000, directions=256, seed=0)
ids_as_numbers = partial(ids_as_numbers_figure, limit=1000, seed=0)
large_dot = partial(large_dot_figure, limit=500, seed=0)
normalized = partial(normalized_figure, within=0.01)

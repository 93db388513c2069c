"""The k nearest rows, exactly, for one query or a million, within a stated amount of memory.

Rows and queries are divided into blocks; BLAS multiplies a block of queries with a block of rows; `select` merges the
products into each query's k best rows: compiled (`kernels.py`), or for a few queries in NumPy (`select_numpy.py`),
unless compiled code was loaded before, since that takes longer than such a search. `nearest_reference` uses the full
matrix and a stable sort; the tests compare all three.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import available_cores
from rowspace.errors import UsageError
from rowspace.space import select_numpy
from rowspace.space.similarity import METRICS, Metric, row_norms as norms_of, validate_metric

__all__ = ["MEMORY", "best_first", "nearest", "nearest_reference", "validate_k"]

Rows = NDArray[np.floating[Any]]
Ids = NDArray[np.int64]
Answer = tuple[Ids, NDArray[np.float32]]

MEMORY = 16 << 20
"""The default for `memory`: 16 MiB of working arrays. With more, products fall out of the caches."""

FEW_QUERIES = 4
"""Up to this number of queries, the search does not load compiled code."""

MAX_QUERIES = 1024
"""Queries multiplied at once: more would not make BLAS faster, and blocks of rows would be smaller."""


def nearest(
    queries: Rows,
    rows: Rows,
    k: int,
    *,
    metric: Metric = "cosine",
    exclude: Ids | None = None,
    row_norms: NDArray[np.float64] | None = None,
    memory: int = MEMORY,
    threads: int | None = None,
) -> Answer:
    """Return the k nearest of `rows` (V, d) to each of `queries` (n, d).

    Scores are computed in float64 in a fixed order and rounded to float32; equal scores go to the lower id. Neither ids
    nor scores depend on `memory` or `threads`. A row with NaN or infinity (or, in float64, values above 1e153) is
    never a neighbor; the cosine of a zero row with any row is 0.

    Args:
        queries: (n, d) numbers, which may be a memory map.
        rows: (V, d) floats, which may be a memory map.
        k: the number of neighbors; with k > V there are V columns.
        metric: "cosine", "dot" or "euclidean", whose score is the distance.
        exclude: (n, e) int64, ids to leave out for each query, -1 for none.
        row_norms: (V,) float64, computed here without it.
        memory: the maximum working memory in bytes, without the result, the norms (8 bytes per row or query) and BLAS's
            buffers; increased if one row and one query need more.
        threads: the number of threads of the selection, by default one per processor; BLAS has its own environment
            variable.

    Returns:
        Ids (n, k) int64 and scores (n, k) float32, nearest first; id -1 and score NaN where no row is left.

    Raises:
        UsageError: a k below 1, shapes that do not fit, an unknown metric, or a query with NaN or infinity.

    >>> rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
    >>> ids, distances = nearest(rows[:1], rows, 2, metric="euclidean", exclude=np.array([[0]]))
    >>> ids, distances.round(3)
    (array([[1, 2]]), array([[0.086, 1.204]], dtype=float32))
    """
    search = _Search(queries, rows, min(validate_k(k), len(rows)), metric, exclude, row_norms)
    keys = np.full((len(queries), search.k), -np.inf, np.float32)
    ids = np.full((len(queries), search.k), -1, np.int64)
    if keys.size:
        search.run(keys, ids, memory, _workers(threads))
    return best_first(keys, ids, metric)


def nearest_reference(
    queries: Rows, rows: Rows, k: int, *, metric: Metric = "cosine", exclude: Ids | None = None
) -> Answer:
    """Return what `nearest` does in the simplest way: the full float64 matrix and a stable sort, for small input.

    >>> nearest_reference(np.eye(1, 2), np.eye(2), 2)
    (array([[0, 1]]), array([[1., 0.]], dtype=float32))
    """
    left, right = np.asarray(queries, np.float64)[:, np.newaxis], np.asarray(rows, np.float64)[np.newaxis]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        differences, products = left - right, left * right
        keys = -np.sqrt((differences**2).sum(-1)) if metric == "euclidean" else products.sum(-1)
        if metric == "cosine":
            scale = np.sqrt((left**2).sum(-1)) * np.sqrt((right**2).sum(-1))
            keys = np.where(scale == 0, 0.0, keys / scale)
        keys = keys.astype(np.float32)
    keys[:, ~np.isfinite(np.asarray(rows)).all(axis=1)] = -np.inf
    for query, ids in enumerate([] if exclude is None else exclude):
        keys[query, ids[ids >= 0]] = -np.inf
    ids = np.argsort(-keys, axis=1, kind="stable")[:, : min(k, len(rows))]
    keys = np.take_along_axis(keys, ids, axis=1)
    return best_first(keys, np.where(keys == -np.inf, -1, ids), metric)


@dataclass
class _Search:
    """One call of `nearest`: its validated input, and the loop over blocks of rows."""

    queries: Rows
    rows: Rows
    k: int
    metric: Metric
    exclude: Ids | None
    row_norms: NDArray[np.float64] | None

    def __post_init__(self) -> None:
        validate_metric(self.metric)
        _check_shapes(self.queries, self.rows)
        self.excluded = _validate_exclude(self.exclude, len(self.queries))
        norms = norms_of(self.rows) if self.row_norms is None else self.row_norms
        if norms.shape != (len(self.rows),):
            raise UsageError(f"row_norms must be {len(self.rows)} numbers, one per row, got shape {norms.shape}")
        # One mark for every row that can be no neighbor: NaN passes through arithmetic without a warning.
        finite = np.isfinite(norms)
        self.norms = norms if finite.all() else np.where(finite, norms, np.nan)
        self.query_norms = norms_of(self.queries)
        if not np.isfinite(self.query_norms).all():
            at = int(np.argmin(np.isfinite(self.query_norms)))
            raise UsageError(f"queries must be finite, but query {at} holds NaN, infinity or too large a value")
        self.select = _select_for(len(self.queries))
        # The products are float32 unless they could overflow there, or the input is wider.
        narrow = self.queries.dtype.itemsize <= 4 and self.rows.dtype.itemsize <= 4
        largest = max(self.query_norms.max(initial=0), np.nanmax(self.norms, initial=0))
        self.dtype = np.dtype(np.float32 if narrow and largest < 1e18 else np.float64)

    def run(self, keys: NDArray[np.float32], ids: Ids, memory: int, workers: int) -> None:
        """Fill `keys` and `ids` (n, k), heaps of free places, with the k best of all rows."""
        num_queries, num_rows = self._block_sizes(memory)
        buffer = np.empty(num_queries * num_rows, self.dtype)
        with ThreadPoolExecutor(workers) as pool:
            for block in _ranges(len(keys), num_queries):
                # A copy, as read-only queries, which are another type for Numba, would compile the kernel again.
                queries = np.array(self.queries[block], self.dtype, order="C")
                parts = list(_ranges(len(queries), -(-len(queries) // workers)))
                for span in _ranges(len(self.rows), num_rows):
                    rows = np.ascontiguousarray(self.rows[span], self.dtype)
                    products = buffer[: len(queries) * len(rows)].reshape(len(queries), len(rows))
                    with np.errstate(invalid="ignore", over="ignore"):  # rows of NaN and infinity
                        np.matmul(queries, rows.T, out=products)
                    fold = partial(self._fold, queries, rows, products, block, span, keys, ids)
                    list(map(fold, parts) if len(parts) == 1 else pool.map(fold, parts))

    def _fold(
        self, queries: Rows, rows: Rows, products: Rows, block: slice, span: slice,
        keys: NDArray[np.float32], ids: Ids, part: slice,
    ) -> None:  # fmt: skip
        """Fold one block of products into the heaps of `part`, some of the block's queries."""
        info: np.finfo[Any] = np.finfo(self.dtype)
        dim = rows.shape[1]
        # A sum of d products, in any order, errs by d u / (1 - d u), u = eps / 2 (Higham 2002, 3.1). This is
        # twice that.
        slack, floor = float(info.eps) * (dim + 8), float(info.smallest_subnormal) * (dim + 8)
        at = slice(block.start + part.start, block.start + part.stop)
        self.select(
            products[part], queries[part], self.query_norms[at], rows, self.norms[span], span.start,
            METRICS.index(self.metric), slack, floor, self.excluded[at], keys[at], ids[at],
        )  # fmt: skip

    def _block_sizes(self, memory: int) -> tuple[int, int]:
        """Return how many queries and rows are multiplied at once, so that all copies fit in `memory`."""
        size, dim = self.dtype.itemsize, self.rows.shape[1]
        in_place = self.rows.dtype == self.dtype and self.rows.flags.c_contiguous
        queries = max(1, min(len(self.queries), MAX_QUERIES, memory // (4 * size * dim)))
        scratch = 40 if self.select is select_numpy.select else 0  # bytes a row, of its arrays
        rows = (memory - queries * dim * size) // (size * (queries + (0 if in_place else dim)) + scratch)
        return queries, max(1, min(rows, len(self.rows)))


def _select_for(num_queries: int) -> Callable[..., None]:
    """Return the faster `select` for a number of queries, including the time of its import."""
    if num_queries <= FEW_QUERIES and "rowspace.space.kernels" not in sys.modules:
        return select_numpy.select
    from rowspace.space import kernels

    return kernels.select


def _ranges(total: int, step: int) -> Iterator[slice]:
    """Return the slices of `step` (the last one shorter) that cover 0..total."""
    return (slice(start, min(start + step, total)) for start in range(0, total, step))


def best_first(keys: NDArray[np.float32], ids: Ids, metric: Metric) -> Answer:
    """Return ids and scores, best first, ties by id, places left free last."""
    order = np.lexsort((ids, -keys), axis=-1)
    ids, keys = np.take_along_axis(ids, order, 1), np.take_along_axis(keys, order, 1)
    scores = (-keys if metric == "euclidean" else keys) + np.float32(0)  # no -0.0
    scores[ids < 0] = np.nan
    return ids, scores


def validate_k(k: int) -> int:
    """Raise `UsageError` unless k is a whole number of at least 1."""
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)) or k < 1:
        raise UsageError(f"k must be a whole number of at least 1, got {k!r}")
    return int(k)


def _check_shapes(queries: Rows, rows: Rows) -> None:
    """Raise `UsageError` unless both are matrices of numbers of the same width."""
    if queries.ndim != 2 or rows.ndim != 2 or queries.shape[1] != rows.shape[1] or rows.shape[1] < 1:
        raise UsageError(f"queries (n, d) and rows (V, d) must agree in d >= 1, got {queries.shape}, {rows.shape}")
    if rows.dtype.kind != "f" or queries.dtype.kind not in "fiu":
        raise UsageError(f"queries and rows must be floating arrays, got {queries.dtype} and {rows.dtype}")


def _validate_exclude(exclude: Ids | None, n: int) -> Ids:
    """Return (n, e) int64, with e = 0 where nothing is left out."""
    if exclude is None:
        return np.empty((n, 0), np.int64)
    array = np.asarray(exclude)
    if array.ndim != 2 or len(array) != n or array.dtype.kind not in "iu":
        raise UsageError(f"exclude must be ({n}, e) ids, one line per query, got {array.shape} of {array.dtype}")
    return np.ascontiguousarray(array, np.int64)


def _workers(threads: int | None) -> int:
    """Return the number of threads: `threads`, or the number of processors that this process may use."""
    if threads is None:
        return available_cores()
    if threads < 1:
        raise UsageError(f"threads must be at least 1, got {threads}")
    return threads

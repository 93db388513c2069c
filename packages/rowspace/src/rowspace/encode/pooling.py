"""Ids → vectors: `RowPooler`, which uses kernels once numba is worth its import, and the same in NumPy before that."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.options import COUNT_MISSING, FIRST, KEEP_UNKNOWN, MAX, NORMALIZE, POOLING, SUM, pool_rule
from rowspace.encode.texts import FlatIds

__all__ = [
    "RowPooler",
    "gather_used",
    "no_rows",
    "pool_with_numpy",
    "shares_of_counts",
    "sif_weights",
    "unit_length",
    "warm_pooling",
]


class RowPooler:
    """The rows of a table, ready to be pooled.

    Args:
        rows: (V, d) floating; a memory map stays one.
        weights: (V,) float32 factors of the rows; by default there are none.

    >>> pooler, out = RowPooler(np.eye(2, dtype=np.float32)), np.empty((1, 2), np.float32)
    >>> pooler.pool(FlatIds.of([[0, 1, 1, 7]]), no_rows(2), 9, pool_rule("mean"), out)
    1
    >>> out.round(2)
    array([[0.33, 0.67]], dtype=float32)
    """

    def __init__(self, rows: NDArray[np.floating[Any]], weights: NDArray[np.float32] | None = None) -> None:
        self.rows = _kernel_form(rows)
        self.weights = _read_only(np.zeros(0, np.float32) if weights is None else weights)

    @cached_property
    def _pool_rows(self) -> Callable[..., int]:
        from rowspace.encode.kernels import pool_rows  # numba: 0.3 s

        return pool_rows

    def pool(
        self,
        flat: FlatIds,
        unseen: NDArray[np.float32],
        unknown: int,
        rule: int,
        out: NDArray[np.float32],
        *,
        compiled: bool = False,
    ) -> int:
        """Write the vectors of texts to `out`, and return how many of their tokens have no row.

        Args:
            flat: The ids of n texts; those without a row are left out or counted as zeros (`pool_rule`).
            unseen: (u, d) rows of the ids -1 … -u.
            unknown: The id of the unknown token, or an id that no token has.
            rule: A `pool_rule`.
            out: (n, up to d) float32; its width says how many columns are used.
            compiled: Use kernels, which imports numba.
        """
        if not compiled:
            return pool_with_numpy(self, flat, unseen, unknown, rule, out)
        return self._pool_rows(self.rows, _read_only(unseen), self.weights, flat.ids, flat.indptr, unknown, rule, out)


def pool_with_numpy(
    pooler: RowPooler,
    flat: FlatIds,
    unseen: NDArray[np.float32],
    unknown: int,
    rule: int,
    out: NDArray[np.float32],
) -> int:
    """Do what the kernel `pool_rows` does, and see there."""
    used, is_missing, is_unknown = _used_ids(pooler, flat.ids, unseen, unknown, rule)
    for text, (first, last) in enumerate(zip(flat.indptr[:-1], flat.indptr[1:], strict=True)):
        part = slice(first, last)
        taken = used[part]
        found = _gather(pooler, unseen, flat.ids[part][taken], is_missing[part][taken], out.shape[1])
        out[text] = _pooled(found, rule)
    return int((is_missing | is_unknown).sum())


def gather_used(
    pooler: RowPooler, ids: NDArray[np.int32], unseen: NDArray[np.float32], unknown: int, rule: int, width: int
) -> tuple[NDArray[np.bool_], NDArray[np.floating[Any]]]:
    """Return what is pooled for the ids of one text.

    Args:
        pooler: The rows and their weights.
        ids: (n,).
        unseen: (u, d) rows of the ids -1 … -u.
        unknown: The id of the unknown token, or an id that no token has.
        rule: A `pool_rule`.
        width: The number of columns.

    Returns:
        Which ids are used, (n,), and their weighted rows, (number used, width); a row of zeros for an id without one.

    >>> pooler = RowPooler(np.eye(2, dtype=np.float32))
    >>> used, rows = gather_used(pooler, np.int32([1, 7]), no_rows(2), 9, pool_rule("mean"), 2)
    >>> used.tolist(), rows.tolist()
    ([True, False], [[0.0, 1.0]])
    """
    used, is_missing, _ = _used_ids(pooler, ids, unseen, unknown, rule)
    return used, _gather(pooler, unseen, ids[used], is_missing[used], width)


def _used_ids(
    pooler: RowPooler, ids: NDArray[np.int32], unseen: NDArray[np.float32], unknown: int, rule: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which ids (n,) are used, which have no row, and which are the unknown token."""
    is_missing = (ids >= len(pooler.rows)) | (ids < -len(unseen))
    is_unknown = ids == unknown
    used = ~is_missing
    if rule & COUNT_MISSING:
        used[:] = True
    if not rule & KEEP_UNKNOWN:
        used &= ~is_unknown
    return used, is_missing, is_unknown


def _gather(
    pooler: RowPooler,
    unseen: NDArray[np.float32],
    ids: NDArray[Any],
    is_missing: NDArray[np.bool_],
    width: int,
) -> NDArray[np.floating[Any]]:
    """Return the weighted rows of ids, at least float32; zeros for those that are missing."""
    ids = np.where(is_missing, 0, ids)
    found = np.zeros((len(ids), width), np.float32)
    seen = ids >= 0
    if len(pooler.rows):
        known = pooler.rows[ids[seen], :width]
        found[seen] = known.view(np.float16) if known.dtype == np.uint16 else known
    found[~seen] = unseen[-1 - ids[~seen], :width]
    if pooler.weights.size:
        found[seen] *= pooler.weights[ids[seen], np.newaxis]
    found[is_missing] = 0
    return found


def _pooled(found: NDArray[np.floating[Any]], rule: int) -> NDArray[np.floating[Any]]:
    """Pool the rows of one text; without rows the result is zeros."""
    pooling = rule & POOLING
    if not len(found):
        return np.zeros(found.shape[1], np.float32)
    if pooling == FIRST:
        vector = found[0]
    elif pooling == MAX:
        vector = found.max(axis=0)
    else:
        vector = found.sum(axis=0) if pooling == SUM else found.mean(axis=0)
    length = np.sqrt((vector.astype(np.float64) ** 2).sum()) if rule & NORMALIZE else 0
    with np.errstate(invalid="ignore"):  # infinity / infinity
        return np.asarray(vector / np.float32(length) if length else vector)


def unit_length(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors scaled to length 1; zeros stay zeros.

    >>> unit_length(np.array([[3, 4], [0, 0]], np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths != 0))


def sif_weights(shares: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Return a / (a + p) of each token, so that frequent tokens decide less; ones for a = 0.

    Source: A Simple but Tough-to-Beat Baseline for Sentence Embeddings (Arora, Liang & Ma, 2017).

    Args:
        shares: The share p of each token in a text, (n,).
        a: The constant.

    >>> sif_weights(np.array([0.75, 0.25]), 0.25).tolist()
    [0.25, 0.5]
    """
    return a / (a + shares) if a > 0 else np.ones(len(shares))


def shares_of_counts(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of each token in a text, (n,); zeros for a text without tokens.

    >>> shares_of_counts(np.array([3, 0, 1]))
    array([0.75, 0.  , 0.25])
    """
    return counts / max(1, int(counts.sum()))


def warm_pooling() -> None:
    """Compile the kernels, which are cached on disk, for each dtype of rows; fast if they are compiled."""
    for dtype in (np.float16, np.float32, np.float64):
        pooler, out = RowPooler(np.ones((1, 1), dtype)), np.empty((1, 1), np.float32)
        pooler.pool(FlatIds.of([[0]]), no_rows(1), 1, pool_rule("mean"), out, compiled=True)


def no_rows(dim: int) -> NDArray[np.float32]:
    """Return (0, d): the rows of unseen words where there are none.

    >>> no_rows(3).shape
    (0, 3)
    """
    return _read_only(np.zeros((0, dim), np.float32))


def _kernel_form(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows as kernels take them: contiguous, native, read only; float16 as its bits."""
    plain = np.asarray(rows)
    if plain.dtype not in (np.float16, np.float32, np.float64):
        plain = plain.astype(np.float64)
    native = np.ascontiguousarray(plain, plain.dtype.newbyteorder("="))
    return _read_only(native.view(np.uint16) if native.dtype == np.float16 else native)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written, so that kernels are compiled for one type."""
    view = array.view()
    view.flags.writeable = False
    return view

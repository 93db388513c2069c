"""Numba kernels of the neighbor search: plain functions on arrays, which also run as plain Python.

`select` reads a block of approximate dot products (one BLAS matrix product) and keeps each query's k best
rows so far. A dot product only says which rows may still enter; the score that decides is computed again for
each of those few, in float64 and in one fixed order, so the answer depends neither on the blocks nor on how
BLAS sums.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["COSINE", "DOT", "EUCLIDEAN", "select"]

COSINE, DOT, EUCLIDEAN = 0, 1, 2
STRIP = 256  # rows passed over at a time when none of them can enter

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]


@kernel
def select(
    products: Floats,
    queries: Floats,
    query_norms: Doubles,
    rows: Floats,
    row_norms: Doubles,
    first: int,
    metric: int,
    slack: float,
    floor: float,
    exclude: Ids,
    keys: NDArray[np.float32],
    ids: Ids,
) -> None:
    """Fold one block of rows into the k best of each query.

    `products` (n, m) are `queries` (n, d) @ `rows` (m, d).T, all three float32 or all float64; `first` is the
    id of rows[0]. A product errs by at most `slack` times both norms, plus `floor` (what underflow can
    swallow). `exclude` (n, e) names ids that never enter, and neither does a row whose norm is NaN. `keys`
    (n, k) float32, larger is better, and `ids` (n, k) are heaps with the worst at 0; before the first block
    they are -inf and -1. Blocks come in the order of their ids.
    """
    for n in range(len(queries)):
        bound = _bound(keys[n, 0], query_norms[n], metric, slack, floor)
        for start in range(0, len(rows), STRIP):
            stop = min(start + STRIP, len(rows))
            if _passing(products[n, start:stop], row_norms[start:stop], bound) == 0:
                continue
            for m in range(start, stop):
                one = slice(m, m + 1)
                if np.isnan(row_norms[m]) or _passing(products[n, one], row_norms[one], bound) == 0:
                    continue
                key = _key(queries[n], query_norms[n], rows[m], row_norms[m], metric)
                if key > keys[n, 0] and not _holds(exclude[n], first + m):
                    _replace_worst(keys[n], ids[n], key, first + m)
                    bound = _bound(keys[n, 0], query_norms[n], metric, slack, floor)


@kernel
def _passing(products: Floats, row_norms: Doubles, bound: tuple[float, float, float]) -> int:
    """Return how many rows may still enter; no branch, for this loop reads every product."""
    base, linear, square = bound
    failing = 0
    for m in range(len(products)):  # NaN on either side passes
        failing += products[m] <= base + row_norms[m] * (linear + square * row_norms[m])
    return len(products) - failing


@kernel
def _bound(worst: float, query_norm: float, metric: int, slack: float, floor: float) -> tuple[float, float, float]:
    """Return (base, linear, square): a row of norm r enters only past base + linear r + square r².

    A later row enters only with a strictly better key than `worst`, for equal keys go to the lower id. While
    a place is free `worst` is -inf, and every product passes.
    """
    if worst == -np.inf:
        return -np.inf, 0.0, 0.0
    lost = floor if query_norm > 0 else 0.0
    if metric == COSINE:
        return -lost, (worst - slack) * query_norm, 0.0
    if metric == DOT:
        return worst - lost, -slack * query_norm, 0.0
    # |q - r|² = |q|² + |r|² - 2 q·r; the factor covers the rounding of the two squares.
    safe = 0.5 - 1e-12
    return safe * query_norm * query_norm - 0.5 * worst * worst - lost, -slack * query_norm, safe


@kernel
def _key(query: Floats, query_norm: float, row: Floats, row_norm: float, metric: int) -> np.float32:
    """Return the score that decides, larger is better; float32, so that equal ones are equal bit by bit."""
    total = 0.0
    if metric == EUCLIDEAN:
        for j in range(len(query)):
            difference = np.float64(query[j]) - np.float64(row[j])
            total += difference * difference
        return np.float32(-np.sqrt(total))
    for j in range(len(query)):
        total += np.float64(query[j]) * np.float64(row[j])
    if metric == COSINE:
        scale = query_norm * row_norm
        total = total / scale if scale > 0 else 0.0
    return np.float32(total)


@kernel
def _holds(few: Ids, number: int) -> bool:
    """Return whether `number` is among a few ids."""
    for value in few:
        if value == number:
            return True
    return False


@kernel
def _replace_worst(keys: NDArray[np.float32], ids: Ids, key: np.float32, row: int) -> None:
    """Put (key, row) in the place of the worst, the root of a binary heap, and restore the heap."""
    k, parent = len(keys), 0
    while True:
        child = 2 * parent + 1
        if child >= k:
            break
        if child + 1 < k and _worse(keys[child + 1], ids[child + 1], keys[child], ids[child]):
            child += 1
        if not _worse(keys[child], ids[child], key, row):
            break
        keys[parent], ids[parent] = keys[child], ids[child]
        parent = child
    keys[parent], ids[parent] = key, row


@kernel
def _worse(key_a: np.float32, row_a: int, key_b: np.float32, row_b: int) -> bool:
    """Return whether a is ordered after b: by key, then by higher id."""
    return bool(key_a < key_b or (key_a == key_b and row_a > row_b))

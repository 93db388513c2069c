"""`select` of `kernels.py` in NumPy, for a few queries: loading compiled code would take longer than the search."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.space.similarity import BLOCK_BYTES, METRICS

__all__ = ["select"]

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]
Ids = NDArray[np.int64]


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
    """Merge one block of rows into the k best of each query; arguments are those of `kernels.select`."""
    for n in range(len(queries)):
        best = _Best(queries[n], float(query_norms[n]), rows, row_norms, first, METRICS[metric], keys[n], ids[n])
        allowed = ~np.isnan(row_norms)
        excluded = exclude[n] - first
        allowed[excluded[(excluded >= 0) & (excluded < len(rows))]] = False
        best.add(best.likely(products[n], allowed))
        best.add(np.flatnonzero(allowed & best.may_enter(products[n], slack, floor)))


class _Best:
    """The k best rows of one query so far: `keys` (k,), larger is better, and `ids` (k,), changed in place."""

    def __init__(
        self, query: Floats, query_norm: float, rows: Floats, row_norms: Doubles, first: int, metric: str,
        keys: NDArray[np.float32], ids: Ids,
    ) -> None:  # fmt: skip
        self.query, self.query_norm, self.metric = query.astype(np.float64), query_norm, metric
        self.rows, self.row_norms, self.first = rows, row_norms, first
        self.keys, self.ids = keys, ids

    def likely(self, products: Floats, allowed: NDArray[np.bool_]) -> Ids:
        """Return the k best rows by their approximate products, which give a first bound for the others."""
        with np.errstate(all="ignore"):
            keys: Doubles = products.astype(np.float64)
            if self.metric == "cosine":
                keys /= self.row_norms
            elif self.metric == "euclidean":
                keys -= 0.5 * self.row_norms**2
        keys[~allowed | np.isnan(keys)] = -np.inf
        count = min(len(self.keys), len(keys))
        chosen = np.argpartition(keys, -count)[-count:]
        return chosen[allowed[chosen]]

    def may_enter(self, products: Floats, slack: float, floor: float) -> NDArray[np.bool_]:
        """Return which rows (m,) may have a key no less than the worst one so far; see `kernels._bound`."""
        if self.keys.min() == -np.inf or self.query_norm == 0:
            return np.ones(len(products), bool)
        # The float32 below it, since a row of this block with an equal key may have the lower id.
        worst, query_norm = float(np.nextafter(self.keys.min(), np.float32(-np.inf))), self.query_norm
        with np.errstate(invalid="ignore", over="ignore"):
            if self.metric == "cosine":
                bound = self.row_norms * ((worst - slack) * query_norm) - floor
            elif self.metric == "dot":
                bound = worst - floor - self.row_norms * (slack * query_norm)
            else:
                safe = 0.5 - 1e-12  # |q - r|² = |q|² + |r|² - 2 q·r; the factor covers the rounding of the squares
                bound = self.row_norms * (safe * self.row_norms - slack * query_norm)
                bound += safe * query_norm * query_norm - 0.5 * worst * worst - floor
            return ~(products <= bound)  # NaN on either side passes

    def add(self, candidates: Ids) -> None:
        """Compute the exact keys of some rows of the block, and keep the k best; a row is kept only once."""
        candidates = candidates[~np.isin(candidates + self.first, self.ids)]
        step = max(1, BLOCK_BYTES // (8 * self.rows.shape[1]))
        for start in range(0, len(candidates), step):
            some = candidates[start : start + step]
            found = self._exact(some)
            entering = found > -np.inf
            keys = np.concatenate([self.keys, found[entering]])
            ids = np.concatenate([self.ids, some[entering] + self.first])
            order = np.lexsort((ids, -keys))[: len(self.keys)]
            self.keys[:], self.ids[:] = keys[order], ids[order]

    def _exact(self, places: Ids) -> NDArray[np.float32]:
        """Return the exact scores, larger is better; in float32, so that ties are exact."""
        rows = self.rows[places].astype(np.float64)
        # The order of vecdot's sum does not depend on a row's position, so equal rows tie exactly.
        if self.metric == "euclidean":
            differences = self.query - rows
            return np.asarray(-np.sqrt(np.vecdot(differences, differences)), np.float32)
        sums = np.vecdot(self.query, rows)
        if self.metric == "cosine":
            scale = self.query_norm * self.row_norms[places]
            sums = np.divide(sums, scale, out=np.zeros_like(sums), where=scale > 0)
        return np.asarray(sums, np.float32)

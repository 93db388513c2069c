"""Maps that preserve neighborhoods: t-SNE by openTSNE, UMAP by umap-learn, both from the exact nearest neighbors.

Rows are compared by direction. Both start at the principal components, so the seed is the only randomness, and both
call `on_frame` with the positions during optimization. Rows left out by `sample` are at NaN.
"""

import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import MissingExtraError, UsageError
from rowspace.space.map_search import MapNeighbors, map_neighbors, map_units
from rowspace.space.pca import pca
from rowspace.space.similarity import unit_rows

__all__ = ["OnFrame", "tsne", "umap"]

Rows = NDArray[np.floating[Any]]
Positions = NDArray[np.float32]
OnFrame = Callable[[int, int, Positions], None]
"""Called during optimization with the steps done, all steps, and the positions (V, 2), a copy."""


def tsne(
    rows: Rows,
    *,
    perplexity: float = 30,
    steps: int = 750,
    seed: int = 0,
    on_frame: OnFrame | None = None,
    sample: int | None = None,
    neighbors: MapNeighbors | None = None,
) -> Positions:
    """Return positions (V, 2) of `rows` (V, d) by t-SNE (van der Maaten & Hinton 2008), computed by openTSNE.

    The first third of the `steps` uses early exaggeration.

    Args:
        rows: (V, d) floats; a row with NaN or infinity is placed at NaN.
        perplexity: the perplexity, at most a third of the number of rows.
        steps: iterations.
        seed: seed of the sample and the initial positions.
        on_frame: called during optimization.
        sample: map at most that many rows, drawn with `seed`; the others are at NaN.
        neighbors: the result of `map_neighbors` for the same rows, `sample` and `seed`, with at least 3 · perplexity
            neighbors; computed if omitted.

    Raises:
        UsageError: d = 1, fewer than 8 finite rows, rows of one direction, a `perplexity` or `steps` below 1.
        MissingExtraError: openTSNE is not installed.
    """
    if not perplexity >= 1:
        raise UsageError(f"perplexity is a number of neighbors and must be 1 or more, got {perplexity}")
    frames, calls, interval = _Frames(rows, steps, on_frame, sample, seed, neighbors), count(1), 10
    try:
        from openTSNE import TSNE  # an extra, and slow to import
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors
    except ImportError as error:
        raise MissingExtraError("tsne needs openTSNE: pip install 'rowspace[analysis]'") from error
    perplexity = min(perplexity, (len(frames.units) - 1) / 3)
    index = PrecomputedNeighbors(*frames.neighbors(int(3 * perplexity)))
    early = steps // 3 // interval * interval  # calls come before every 10th step of each part
    fit = TSNE(
        n_jobs=1,
        random_state=seed,
        early_exaggeration_iter=early,
        n_iter=steps - early,
        callbacks_every_iters=interval,
        callbacks=lambda _iteration, _error, positions: frames.report(interval * next(calls) - 1, positions),
    )
    affinities = PerplexityBasedNN(knn_index=index, perplexity=perplexity)
    return frames.end(fit.fit(affinities=affinities, initialization=frames.start(seed, spread=1e-4)))


def umap(
    rows: Rows,
    *,
    num_neighbors: int = 15,
    min_dist: float = 0.1,
    steps: int = 200,
    seed: int = 0,
    on_frame: OnFrame | None = None,
    sample: int | None = None,
    neighbors: MapNeighbors | None = None,
) -> Positions:
    """Return positions (V, 2) of `rows` (V, d) by UMAP (McInnes, Healy & Melville 2018), computed by umap-learn.

    Args:
        rows: (V, d) floats; a row with NaN or infinity is placed at NaN.
        num_neighbors: 2 or more; as in umap-learn, a row is the first neighbor of itself.
        min_dist: the minimum distance between points.
        steps: epochs.
        seed: seed of all random numbers.
        on_frame: called during optimization.
        sample: map at most that many rows, drawn with `seed`; the others are at NaN.
        neighbors: the result of `map_neighbors`, with at least num_neighbors - 1 neighbors; computed if omitted.

    Raises:
        UsageError: as for `tsne`, or `num_neighbors` is below 2.
        MissingExtraError: umap-learn is not installed.
    """
    if num_neighbors < 2:
        raise UsageError(f"num_neighbors counts the row itself and must be 2 or more, got {num_neighbors}")
    frames, random = _Frames(rows, steps, on_frame, sample, seed, neighbors), np.random.RandomState(seed)
    try:
        with warnings.catch_warnings(action="ignore"):  # that TensorFlow, which is not used here, is not installed
            from umap import layouts, umap_  # an extra, and slow to import

            from rowspace._base.jit import cache_functions  # which imports Numba
    except ImportError as error:
        raise MissingExtraError("umap needs umap-learn: pip install 'rowspace[analysis]'") from error
    for module in layouts, umap_:
        cache_functions(module)
    num_neighbors = min(num_neighbors, len(frames.units) - 1)
    ids, distances = frames.neighbors(num_neighbors - 1)
    itself = np.arange(len(ids))[:, np.newaxis]
    graph, _, _ = umap_.fuzzy_simplicial_set(
        frames.units, num_neighbors, random, "euclidean",
        knn_indices=np.hstack([itself, ids]), knn_dists=np.hstack([itself * np.float32(0), distances]),
    )  # fmt: skip
    graph = graph.tocoo()
    graph.data[graph.data < graph.data.max() / steps] = 0  # edges that would never be sampled
    graph.eliminate_zeros()
    start = frames.start(seed, spread=1).astype(np.float32)
    positions = 10 * (start - start.min(0)) / np.ptp(start, axis=0)
    # `positions` is updated in place; umap-learn's progress bar (tqdm) writes the number of epochs to this file.
    bar = {"disable": False, "file": _EpochFile(lambda epoch: frames.report(epoch, positions)), "bar_format": "{n}"}
    layouts.optimize_layout_euclidean(
        positions, positions, graph.row, graph.col, steps, len(positions),
        umap_.make_epochs_per_sample(graph.data, steps), *umap_.find_ab_params(1.0, min_dist),
        random.randint(np.iinfo(np.int32).min + 1, np.iinfo(np.int32).max - 1, 3).astype(np.int64),
        tqdm_kwds=bar, move_other=True,
    )  # fmt: skip
    return frames.end(positions)


class _Frames:
    """The rows of a map, their first positions, and the callback that gets their positions."""

    def __init__(
        self, rows: Rows, steps: int, on_frame: OnFrame | None, sample: int | None, seed: int,
        found: MapNeighbors | None,
    ) -> None:  # fmt: skip
        if steps < 1:
            raise UsageError(f"steps must be 1 or more, got {steps}")
        self.rows, self.steps, self.on_frame = rows, steps, on_frame
        self.sample, self.seed, self.found = sample, seed, found
        if found is None:
            self.ids, self.units = map_units(rows, sample, seed)
        else:
            self.ids, self.units = found.ids, unit_rows(rows[found.ids]).astype(np.float32)

    def neighbors(self, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k nearest to each row, without itself, and their distances."""
        found = self.found or map_neighbors(self.rows, k, sample=self.sample, seed=self.seed)
        if found.neighbors.shape[1] < k:
            raise UsageError(f"neighbors must hold at least {k} per row, got {found.neighbors.shape[1]}")
        return found.neighbors[:, :k], found.distances[:, :k]

    def start(self, seed: int, *, spread: float) -> NDArray[np.float64]:
        """Return the principal components (n, 2), scaled to a deviation, with equal rows moved slightly apart."""
        positions = pca(self.units).positions.astype(np.float64)
        if not (deviation := float(positions[:, 0].std())) > 0:
            raise UsageError("all rows have the same direction, so there are no neighborhoods to map")
        positions += 1e-4 * deviation * np.random.default_rng(seed).normal(size=positions.shape)
        return positions * (spread / deviation)

    def end(self, positions: NDArray[Any]) -> Positions:
        """Report the last step, and return the positions of all rows."""
        self.report(self.steps, positions)
        return self._placed(positions)

    def report(self, step: int, positions: NDArray[Any]) -> None:
        """Report the positions after `step` steps."""
        if self.on_frame is not None:
            self.on_frame(step, self.steps, self._placed(positions))

    def _placed(self, positions: NDArray[Any]) -> Positions:
        placed = np.full((len(self.rows), 2), np.nan, np.float32)
        placed[self.ids] = positions
        return placed


class _EpochFile:
    """The `file` of a tqdm progress bar, which needs `write` and `flush`: calls back with the number of epochs done."""

    def __init__(self, on_epoch: Callable[[int], None]) -> None:
        self.on_epoch = on_epoch

    def write(self, text: str) -> None:
        """Report the number that a bar of the format "{n}" writes; tqdm also writes line ends."""
        if text.strip().isdigit():
            self.on_epoch(int(text))

    def flush(self) -> None:
        """Do nothing: `write` reports immediately."""

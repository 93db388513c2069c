"""Passages of an index and a new encoder → a bridge."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.search.bridge.bridge import Bridge
from rowspace.search.bridge.maps import VectorMap, learn_maps
from rowspace.search.options import BridgeOptions
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import AnyEncoder, encode_passages, passages_of, unit_vectors

__all__ = ["bootstrap_interval", "learn_bridge", "recall_of_each"]

Floats = NDArray[np.float32]
Progress = Callable[[int, int], None]

NEIGHBORS = 10
_TIE = 1e-6  # cosines nearer to each other than this are equal
_RESAMPLES = 1_000


def recall_of_each(
    blocks: Iterable[Floats], rows: NDArray[np.int64], queries: Floats, mapped: Floats, k: int = NEIGHBORS
) -> NDArray[np.float64]:
    """Return for each query the share of its k nearest passages that the mapped query has among its own k nearest.

    A passage that is as near as the k-th nearest counts, so that copies of a passage do not lower the share. Memory
    grows with the size of a block.

    Args:
        blocks: The unit vectors of all passages in order, (m, d) each.
        rows: (n,) the passage that each query is itself, which is not its own neighbor; -1 for none.
        queries: (n, d) unit vectors.
        mapped: (n, d) unit vectors.
        k: The number of neighbors.

    Returns:
        (n,) shares.

    >>> passages = np.array([[1, 0], [0.8, 0.6], [0, 1], [-1, 0]], np.float32)
    >>> recall_of_each([passages], np.array([0]), passages[:1], passages[1:2], k=1)
    array([1.])
    >>> recall_of_each([passages], np.array([0]), passages[:1], passages[3:], k=1)
    array([0.])
    """
    number = len(queries)
    nearest = np.full((number, k), -np.inf, np.float32)  # the similarities of the best passages
    keys, found = nearest.copy(), nearest.copy()  # the same of the mapped query, and of the query to these passages
    start = 0
    for block in blocks:
        exact, reached = queries @ block.T, mapped @ block.T
        own = np.flatnonzero((rows >= start) & (rows < start + len(block)))
        exact[own, rows[own] - start] = reached[own, rows[own] - start] = -np.inf
        nearest = -np.partition(-np.hstack([nearest, exact]), k - 1, axis=1)[:, :k]
        keys, found = np.hstack([keys, reached]), np.hstack([found, exact])
        best = np.argpartition(-keys, k - 1, axis=1)[:, :k]
        keys, found = np.take_along_axis(keys, best, axis=1), np.take_along_axis(found, best, axis=1)
        start += len(block)
    least = nearest.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = ((found >= least - _TIE) & (found > -np.inf)).mean(axis=1)
    return shares


def bootstrap_interval(shares: NDArray[np.float64], *, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean of shares: percentiles of means of samples with replacement.

    >>> bootstrap_interval(np.array([0.5, 0.5]))
    (0.5, 0.5)
    """
    generator = np.random.default_rng(seed)
    number = len(shares)
    means = [shares[generator.integers(0, number, number)].mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


_MIN_PASSAGES = 50  # distinct passages
_ENCODED = 128  # passages that are encoded at once: with a sentence encoder, some 20 seconds
_BLOCK = 8_192  # passages that are compared at once


class _Pairs(NamedTuple):
    """Passages: their rows in the index, and their unit vectors of both encoders."""

    rows: NDArray[np.int64]
    new: Floats
    old: Floats

    def part(self, start: int, stop: int) -> "_Pairs":
        """Return the passages of a range."""
        return _Pairs(self.rows[start:stop], self.new[start:stop], self.old[start:stop])


def learn_bridge(
    store: ChunkStore,
    encoder: AnyEncoder,
    options: BridgeOptions,
    *,
    on_step: Callable[[str], None] | None = None,
    on_progress: Progress | None = None,
) -> Bridge:
    """Learn the map from an encoder's vectors to those of an index, and measure its recall.

    The vectors of the index are read, so that the encoder that made them is not needed. Some held-out passages choose
    the map; others, as queries against the whole index, measure it.

    Args:
        store: The index.
        encoder: The new encoder.
        options: The number of passages, and the map.
        on_step: Called with a sentence before each step.
        on_progress: Called with the number of passages encoded, and that of all.

    Returns:
        The bridge.

    Raises:
        UsageError: The encoder made the index, or there are too few passages that both encoders have words of.
    """
    report = on_step or (lambda step: None)
    report("encoding passages")
    pairs = _sample(store, encoder, options, on_progress or (lambda done, total: None))
    held_out = min(options.held_out, len(pairs.rows) // 5)
    chosen_by = (held_out + 1) // 2
    tests, choices = pairs.part(0, held_out), pairs.part(held_out, held_out + chosen_by)
    examples = pairs.part(held_out + chosen_by, held_out + chosen_by + options.sample)
    report(f"learning from {len(examples.rows):,} passages")
    best = max(
        learn_maps(examples.new, examples.old, options.kind, seed=options.seed),
        key=lambda found: float(_recalls([pairs.old], choices, found[1], held_out).mean()),
    )
    report(f"measuring recall on {held_out:,} held-out passages")
    shares = _recalls(_blocks(store), tests, best[1], None)
    interval = bootstrap_interval(shares, seed=options.seed)
    return Bridge(
        encoder.fingerprint,
        store.settings.fingerprint,
        best[0],
        len(examples.rows),
        held_out,
        float(shares.mean()),
        interval,
        best[1],
    )


def _recalls(blocks: Any, queries: _Pairs, vector_map: VectorMap, first: int | None) -> NDArray[np.float64]:
    """Return recall@10 of each query; `first` is the position of the first in `blocks`, None where it is its row."""
    rows = queries.rows if first is None else np.arange(first, first + len(queries.rows))
    return recall_of_each(blocks, rows, queries.old, unit_vectors(vector_map.apply(queries.new)))


def _sample(store: ChunkStore, encoder: AnyEncoder, options: BridgeOptions, on_progress: Progress) -> _Pairs:
    """Return random passages in random order, each text once, that have a vector in both spaces."""
    count = store.count()
    generator = np.random.default_rng(options.seed)
    size = options.sample + options.held_out + (options.held_out + 1) // 2
    rows = np.sort(generator.choice(count, min(count, size), replace=False, shuffle=False))
    table = store.take(rows.tolist(), columns=["path", "name", "title", "text", "vector"])
    passages = passages_of(store, table)
    texts = [passage.text for passage in passages]
    old = _matrix(table["vector"].combine_chunks())
    new = np.zeros((len(passages), encoder.dim), np.float32)
    for start in range(0, len(passages), _ENCODED):
        part = slice(start, start + _ENCODED)
        new[part] = encode_passages(encoder, passages[part])
        on_progress(min(start + _ENCODED, len(passages)), len(passages))
    _, firsts = np.unique(np.array(texts, object).astype(str), return_index=True) if texts else (0, np.zeros(0, int))
    usable = np.zeros(len(texts), bool)
    usable[firsts] = True
    places = generator.permutation(np.flatnonzero(usable & old.any(axis=1) & new.any(axis=1)))
    if len(places) < _MIN_PASSAGES or count <= NEIGHBORS:
        raise UsageError(
            f"{store.source}: a bridge needs at least {_MIN_PASSAGES} different passages with words of both tables, "
            f"and {len(places):,} of {count:,} have them; build the index again with --rebuild, which is quick for "
            "so few"
        )
    return _Pairs(rows[places], new[places], old[places])


def _blocks(store: ChunkStore) -> Iterator[Floats]:
    """Yield the vectors of all passages in order."""
    for batch in store.batches(columns=["vector"], size=_BLOCK):
        yield _matrix(batch["vector"])


def _matrix(vectors: Any) -> Floats:
    """Return Arrow's list of fixed size as (n, d)."""
    flat: Floats = vectors.flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(vectors), vectors.type.list_size)

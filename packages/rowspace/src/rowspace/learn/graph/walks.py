"""`WalkCorpus`: random walks as sentences, which are made as they are read; an epoch's walks are never in memory."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.graph.graph import Graph
from rowspace.learn.graph.kernels import Bias, walk_chunk
from rowspace.learn.graph.options import GraphOptions

__all__ = ["WalkCorpus"]

CHUNK, MIN_CHUNK = 32_768, 1_024  # nodes, as in `IdCorpus`
BLOCKS = 4  # chunks that are read to estimate lengths
ORDER, WALKS = 1, 2  # what random numbers are for, so that no two uses have the same


class WalkCorpus:
    """The walks of a graph: `options.walks` from each node with edges, new ones in each epoch.

    The walks of a chunk depend only on the seed, the epoch and the chunk.

    Attributes:
        vocabulary: The names of the nodes.
        counts: (V,) int64, their expected visits in an epoch.
        words: The sum of the counts.
        graph: The graph.

    >>> from rowspace.learn.graph.edges import edges_of_tuples
    >>> from rowspace.learn.graph.graph import build_graph
    >>> graph = build_graph(edges_of_tuples([("a", "b"), ("b", "c")]), directed=True, walks=2, length=3)
    >>> corpus = WalkCorpus(graph, GraphOptions(walks=2, length=3))
    >>> corpus.vocabulary, corpus.counts.tolist(), len(corpus.chunk(0, epoch=0))
    (['b', 'c', 'a'], [4, 4, 2], 16)
    """

    def __init__(self, graph: Graph, options: GraphOptions) -> None:
        self.graph = graph
        self.vocabulary, self.counts = graph.names, graph.visits
        self.words = int(self.counts.sum())
        self._options = options
        self._bias = Bias(options.p == 1 and options.q == 1, 1 / options.p, 1 / options.q)
        self._starts = np.random.default_rng((options.seed, ORDER)).permutation(graph.starts)
        nodes = min(CHUNK, max(MIN_CHUNK, self._size * options.length // 64))
        self._walks_at_once = max(1, nodes // options.length)

    @property
    def _size(self) -> int:
        return len(self._starts) * self._options.walks

    @property
    def num_chunks(self) -> int:
        """The number of chunks of an epoch."""
        return -(-self._size // self._walks_at_once)

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        """Return the nodes of some walks, (n,) int32, with -1 after each walk, and in place of nodes not reached."""
        first = number * self._walks_at_once
        walks = np.arange(first, min(first + self._walks_at_once, self._size))
        starts = self._starts[walks % len(self._starts)]
        seed = np.random.SeedSequence((self._options.seed, epoch, number, WALKS))
        random = seed.generate_state(1, np.uint64) | np.uint64(1)  # a state of 0 would stay 0
        ids = np.empty((len(starts), self._options.length + 1), np.int32)
        walk_chunk(self.graph.adjacency, self._bias, starts, random, ids)
        return ids.reshape(-1)

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield some chunks, from which the lengths of walks are estimated."""
        for number in np.unique(np.linspace(0, self.num_chunks - 1, BLOCKS).astype(np.int64)):
            yield self.chunk(int(number), epoch=0)

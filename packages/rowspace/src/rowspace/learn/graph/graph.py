"""`Graph`: edges as compressed sparse rows, with the nodes by falling number of expected visits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import CorpusError, UsageError
from rowspace.learn.graph.edges import Edges
from rowspace.learn.graph.kernels import Adjacency, accumulate, spread_visits
from rowspace.learn.word2vec.allocation import available_memory

__all__ = ["Graph", "build_graph", "expected_visits"]

BYTES_PER_ENTRY = 90  # while a graph is built: measured 77 with equal weights, 85 with others; 4 and 12 are kept


@dataclass(frozen=True)
class Graph:
    """A graph in the form that walks read.

    Attributes:
        names: V names of nodes, by falling number of visits; nodes with the same number by name.
        isolated: The names of nodes without edges, which no walk visits.
        adjacency: The edges of the V nodes.
        visits: (V,) int64, how many are expected in an epoch, of walks of the first order; at least 1 each.
        directed: Whether edges are stored in one direction only.
    """

    names: list[str]
    isolated: list[str]
    adjacency: Adjacency
    visits: NDArray[np.int64]
    directed: bool

    @property
    def num_edges(self) -> int:
        """The number of distinct edges; an undirected one counts once."""
        stored = len(self.adjacency.indices)
        if self.directed:
            return stored
        sources = np.repeat(np.arange(len(self.names)), np.diff(self.adjacency.indptr))
        loops = int(np.count_nonzero(sources == self.adjacency.indices))
        return (stored + loops) // 2

    @property
    def starts(self) -> NDArray[np.int32]:
        """The nodes with edges to follow, from which walks start."""
        return np.flatnonzero(np.diff(self.adjacency.indptr)).astype(np.int32)


def build_graph(edges: Edges, *, directed: bool, walks: int, length: int) -> Graph:
    """Return the graph of some edges.

    The weights of repeated edges are added; an edge without one has weight 1, and one of weight 0 is no edge. If the
    graph is undirected, (a, b) and (b, a) are the same edge. A loop, from a node to itself, is kept.

    Args:
        edges: The edges.
        directed: Whether walks follow edges in one direction only.
        walks: Walks from each node in an epoch, for the expected visits.
        length: Nodes of a walk.

    Raises:
        UsageError: The edges need more memory than the machine has.
        CorpusError: There is no edge between two nodes.
    """
    _check_memory(len(edges.sources), directed=directed or edges.both_ways)
    keys, weights = _directed_keys(edges, directed=directed)
    size = len(edges.names)
    _refuse_if_nothing_to_learn(keys, edges.names)
    expected = expected_visits(_adjacency(keys, weights, size), walks=walks, length=length)
    whole = np.rint(np.round(expected, 6))  # the same for any order of the edges, though sums are rounded
    sources, targets = np.divmod(keys, size)
    has_edge = np.zeros(size, np.bool_)
    has_edge[sources] = has_edge[targets] = True  # even if the expected visits round to 0
    visits = np.maximum(whole, has_edge).astype(np.int64)
    by_name = np.argsort(np.array(edges.names, object), kind="stable")
    order = by_name[np.argsort(-visits[by_name], kind="stable")]
    ranks = np.empty(size, np.int64)
    ranks[order] = np.arange(size)
    visited = int(np.count_nonzero(visits))
    adjacency = _adjacency(ranks[sources] * visited + ranks[targets], weights, visited)
    names = [edges.names[place] for place in order]
    return Graph(names[:visited], names[visited:], adjacency, visits[order[:visited]], directed)


def _check_memory(edges: int, *, directed: bool) -> None:
    """Raise `UsageError` if building the graph needs more memory than the machine has."""
    needed, available = BYTES_PER_ENTRY * edges * (1 if directed else 2), available_memory()
    if needed > available:
        raise UsageError(
            f"a graph of {edges:,} edges needs {needed / 2**30:,.1f} GiB, but this machine has "
            f"{available / 2**30:,.1f} GiB of memory; leave out edges, for example those of small weight"
        )


def _directed_keys(edges: Edges, *, directed: bool) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Return source * V + target of each distinct edge, ascending, and their weights; None if all are equal."""
    size = len(edges.names)
    keys = edges.sources.astype(np.int64) * size + edges.targets
    weights = np.ones(len(keys)) if edges.weights is None else edges.weights
    if not (directed or edges.both_ways):
        other = np.flatnonzero(edges.sources != edges.targets)
        keys = np.concatenate([keys, edges.targets[other].astype(np.int64) * size + edges.sources[other]])
        weights = np.concatenate([weights, weights[other]])
    keys, places = np.unique(keys, return_inverse=True)
    weights = np.bincount(places, weights, len(keys)).astype(np.float64)
    keys, weights = keys[weights > 0], weights[weights > 0]
    return keys, None if (weights == weights[:1]).all() else weights


def _refuse_if_nothing_to_learn(keys: NDArray[np.int64], names: list[str]) -> None:
    """Raise `CorpusError` for a graph without an edge between two nodes."""
    size = len(names)
    if not len(keys):
        raise CorpusError("the graph has no edges, so there is nothing to learn; give at least one edge of two nodes")
    if (keys // size == keys % size).all():
        raise CorpusError(
            f"the graph has no edge between two nodes, only from {names[int(keys[0] % size)]!r} to itself; give at "
            "least one such edge"
        )


def _adjacency(keys: NDArray[np.int64], weights: NDArray[np.float64] | None, size: int) -> Adjacency:
    """Return the edges with these keys, which are distinct, as compressed sparse rows."""
    order = np.argsort(keys)
    keys = keys[order]
    indptr = np.searchsorted(keys, np.arange(size + 1) * size).astype(np.int64)
    cumulative = np.zeros(0) if weights is None else weights[order]
    if weights is not None:
        accumulate(indptr, cumulative)
    return Adjacency(indptr, (keys % size).astype(np.int32), cumulative)


def expected_visits(adjacency: Adjacency, *, walks: int, length: int) -> NDArray[np.float64]:
    """Return how often each node is expected to be visited by walks of the first order, (V,).

    Args:
        adjacency: The edges.
        walks: Walks from each node that has edges to follow.
        length: Nodes of a walk.

    >>> star = Adjacency(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0], np.int32), np.zeros(0))
    >>> expected_visits(star, walks=10, length=2)
    array([30., 15., 15.])
    """
    visits = np.where(np.diff(adjacency.indptr) > 0, float(walks), 0.0)
    total = visits.copy()
    for _ in range(length - 1):
        after = np.zeros_like(visits)
        spread_visits(adjacency, visits, after)
        total += after
        visits = after
    return total

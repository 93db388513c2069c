"""Random walks of the first and the second order, by rejection sampling on a compressed graph.

A walk of node2vec that came from node t to node v goes on to a neighbor x with a probability in proportion to the
weight of (v, x) times a bias: 1/p if x is t, 1 if there is an edge from t to x, and 1/q otherwise (Grover & Leskovec
2016). No transition is precomputed: an edge is drawn by its weight and accepted in proportion to its bias (Yang et al.
2019, KnightKing), so memory grows with the edges only.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.draws import below, random_bits

__all__ = ["Adjacency", "Bias", "accumulate", "find_edge", "next_node", "spread_visits", "walk_chunk"]

MAX_REJECTIONS = 32  # then the biases of all neighbors are computed, so that no choice of p and q is slow
WALKS_IN_TURN = 32
Random = NDArray[np.uint64]
Walks = NDArray[np.int32]


class Adjacency(NamedTuple):
    """The edges of a graph by their first node (compressed sparse rows); V nodes, E edges.

    An undirected edge is stored in both directions.
    """

    indptr: NDArray[np.int64]  # (V + 1,): where the edges of each node begin
    indices: NDArray[np.int32]  # (E,): the nodes they lead to, ascending for each node
    cumulative: NDArray[np.float64]  # (E,): sums of weights from the node's first edge; (0,) if all weights are equal


class Bias(NamedTuple):
    """How a walk prefers nodes, by their distance from the previous one."""

    first_order: bool  # all biases are 1
    back: float  # 1/p: of the previous node
    far: float  # 1/q: of a node to which the previous one has no edge


@kernel
def walk_chunk(graph: Adjacency, bias: Bias, starts: NDArray[np.int32], random: Random, walks: Walks) -> None:
    """Fill each row of `walks`, (n, length + 1), with the walk from one of `starts`, (n,), and -1 from its end on.

    A walk has `length` nodes, or fewer if it reaches a node without edges. Some walks take their steps in turn, so that
    the processor waits for the memory of several steps at once.
    """
    steps = walks.shape[1] - 1
    for begin in range(0, len(starts), WALKS_IN_TURN):
        end = min(begin + WALKS_IN_TURN, len(starts))
        for walk in range(begin, end):
            walks[walk, 0] = starts[walk]
            walks[walk, steps] = -1
        for step in range(1, steps):
            for walk in range(begin, end):
                current = walks[walk, step - 1]
                previous = walks[walk, step - 2] if step > 1 else np.int32(-1)
                walks[walk, step] = next_node(graph, bias, previous, current, random)


@kernel
def next_node(graph: Adjacency, bias: Bias, previous: np.int32, current: np.int32, random: Random) -> np.int32:
    """Draw the node after `current`; -1 if it has no edges or is -1. `previous` is -1 at the start of a walk."""
    if current < 0:
        return np.int32(-1)
    first, end = graph.indptr[current], graph.indptr[current + 1]
    if first == end:
        return np.int32(-1)
    if bias.first_order or previous < 0 or end - first == 1:
        node: np.int32 = graph.indices[draw_edge(graph, first, end, random)]
        return node
    return next_biased(graph, bias, previous, current, random)


@kernel
def next_biased(graph: Adjacency, bias: Bias, previous: np.int32, current: np.int32, random: Random) -> np.int32:
    """Draw the node after `current` by darts at the edges: each as wide as its weight, and as high as its bias.

    A bias of the previous node above all others would make the board too high for most darts to hit an edge, so its
    surplus is a separate part of the board.
    """
    first, end = graph.indptr[current], graph.indptr[current + 1]
    height, surplus = max(1.0, bias.far), 0.0
    if bias.back > height:
        edge = find_edge(graph, current, previous)
        surplus = weight_of(graph, first, edge) * (bias.back - height) if edge >= 0 else 0.0
    area = total_weight(graph, first, end) * height + surplus
    for _ in range(MAX_REJECTIONS):
        if surplus > 0.0 and uniform(random) * area < surplus:
            return previous
        node: np.int32 = graph.indices[draw_edge(graph, first, end, random)]
        hit = uniform(random) * height
        if node == previous:
            if hit < bias.back:
                return node
        # A low hit needs no search for an edge from the previous node.
        elif hit < min(1.0, bias.far) or (find_edge(graph, previous, node) >= 0) == (bias.far < 1.0):
            return node
    return next_by_all_biases(graph, bias, previous, current, random)


@kernel
def next_by_all_biases(graph: Adjacency, bias: Bias, previous: np.int32, current: np.int32, random: Random) -> np.int32:
    """Draw the node after `current` by the biases of all neighbors, for which nothing is rejected."""
    first, end = graph.indptr[current], graph.indptr[current + 1]
    total = 0.0
    for edge in range(first, end):
        total += biased_weight(graph, bias, previous, first, edge)
    left, edge = uniform(random) * total, first
    while edge < end - 1:
        left -= biased_weight(graph, bias, previous, first, edge)
        if left < 0.0:
            break
        edge += 1
    node: np.int32 = graph.indices[edge]
    return node


@kernel
def biased_weight(graph: Adjacency, bias: Bias, previous: np.int32, first: int, edge: int) -> float:
    """Return the weight of an edge times its bias; `first` is the first edge of the same node."""
    node, weight = graph.indices[edge], weight_of(graph, first, edge)
    if node == previous:
        return weight * bias.back
    return weight if find_edge(graph, previous, node) >= 0 else weight * bias.far


@kernel
def draw_edge(graph: Adjacency, first: int, end: int, random: Random) -> int:
    """Draw one of the edges first..end-1 of a node, in proportion to their weights."""
    if len(graph.cumulative) == 0:
        return first + below(end - first, random_bits(random))
    aim = uniform(random) * graph.cumulative[end - 1]
    length = end - first
    while length > 1:  # without a branch in it, which the processor would mispredict
        half = length >> 1
        first += half * (graph.cumulative[first + half - 1] <= aim)
        length -= half
    return first


@kernel
def find_edge(graph: Adjacency, source: np.int32, target: np.int32) -> int:
    """Return the place of an edge, -1 if there is none: a binary search."""
    first, length = graph.indptr[source], graph.indptr[source + 1] - graph.indptr[source]
    if length == 0:
        return -1
    while length > 1:  # without a branch in it
        half = length >> 1
        first += half * (graph.indices[first + half] <= target)
        length -= half
    return first if graph.indices[first] == target else -1


@kernel
def weight_of(graph: Adjacency, first: int, edge: int) -> float:
    """Return the weight of an edge; `first` is the first edge of the same node."""
    if len(graph.cumulative) == 0:
        return 1.0
    weight: float = graph.cumulative[edge] - (graph.cumulative[edge - 1] if edge > first else 0.0)
    return weight


@kernel
def total_weight(graph: Adjacency, first: int, end: int) -> float:
    """Return the sum of the weights of a node's edges."""
    total: float = graph.cumulative[end - 1] if len(graph.cumulative) else np.float64(end - first)
    return total


@kernel
def uniform(random: Random) -> float:
    """Draw a number from 0 to below 1."""
    return np.float64(random_bits(random) >> np.uint64(11)) * 2.0**-53


@kernel
def accumulate(indptr: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
    """Replace the weights of each node's edges, (E,), by their sums from its first edge."""
    for node in range(len(indptr) - 1):
        for edge in range(indptr[node] + 1, indptr[node + 1]):
            weights[edge] += weights[edge - 1]


@kernel
def spread_visits(graph: Adjacency, before: NDArray[np.float64], after: NDArray[np.float64]) -> None:
    """Add to `after` the visits that follow those of `before`, by one step of the first order; (V,) each."""
    for node in range(len(before)):
        first, end = graph.indptr[node], graph.indptr[node + 1]
        if first == end or before[node] == 0.0:
            continue
        share = before[node] / total_weight(graph, first, end)
        for edge in range(first, end):
            after[graph.indices[edge]] += share * weight_of(graph, first, edge)

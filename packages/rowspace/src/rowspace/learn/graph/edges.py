"""`Edges`: what all kinds of input become; and the reading of those that are in memory."""

import math
import numbers
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError

__all__ = [
    "Edges",
    "check_weights",
    "edges_of_array",
    "edges_of_matrix",
    "edges_of_networkx",
    "edges_of_tuples",
    "numbered",
]

Names = defaultdict[str, int]

MAX_WEIGHT = 1e100  # so that sums are finite

WANTED = (
    "edges must be the path of an edge list, a NetworkX graph, a SciPy sparse matrix, a table of pandas or Polars, an "
    "integer array (E, 2), or pairs or triples of names"
)


@dataclass(frozen=True)
class Edges:
    """The edges of a graph as numbers of nodes, in the order in which they were given.

    Attributes:
        names: V distinct names.
        sources, targets: (E,) int32, each edge's nodes.
        weights: (E,) float64, from 0 to `MAX_WEIGHT`; None if no edge has one.
        both_ways: Whether undirected edges are already listed in both directions, as in a symmetric matrix.
    """

    names: list[str]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64] | None = None
    both_ways: bool = False


def check_weights(weights: NDArray[np.float64]) -> None:
    """Raise `UsageError` for a weight that is negative or above `MAX_WEIGHT`."""
    wrong = np.flatnonzero(~((weights <= MAX_WEIGHT) & (weights >= 0)))
    if len(wrong):
        raise UsageError(
            f"the weight of edge {wrong[0]} is {weights[wrong[0]]:g}, but weights must be from 0 to {MAX_WEIGHT:g}; "
            "remove such edges or transform the weights"
        )


def edges_of_array(array: NDArray[Any]) -> Edges:
    """Return the edges of an integer array (E, 2); nodes are named by their numbers."""
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise UsageError(
            f"an array of edges must have shape (E, 2) and integers, got {array.shape} and {array.dtype}; give an "
            "adjacency matrix as a SciPy sparse matrix, and weighted edges as triples"
        )
    nodes, inverse = np.unique(array, return_inverse=True)
    places: NDArray[np.int32] = inverse.reshape(array.shape).astype(np.int32)
    return Edges([str(number) for number in nodes.tolist()], places[:, 0], places[:, 1])


def edges_of_matrix(matrix: Any) -> Edges:
    """Return the edges of a SciPy sparse matrix, (V, V); nodes are named by the numbers of their rows."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"an adjacency matrix must be square, got {matrix.shape}; give one row and column per node")
    if matrix.dtype.kind not in "biuf":
        raise UsageError(f"an adjacency matrix must have numbers, got {matrix.dtype}; convert it to float64")
    rows = matrix.tocsr().astype(np.float64)
    rows.sum_duplicates()
    check_weights(rows.data)
    entries = rows.tocoo()
    return Edges(
        [str(number) for number in range(matrix.shape[0])],
        entries.row.astype(np.int32),
        entries.col.astype(np.int32),
        entries.data,
        both_ways=(rows != rows.T).nnz == 0,
    )


def edges_of_networkx(graph: Any, weight: str | None) -> Edges:
    """Return the edges of a NetworkX graph of any kind; an edge without the attribute has weight 1.

    Args:
        graph: The graph; nodes are named by their `str`.
        weight: The attribute of edges that has their weight; None for "weight", if an edge has it.
    """
    names = [str(node) for node in graph.nodes]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(
            f"two nodes of the graph have the same text, {twice!r}; rename one with networkx.relabel_nodes"
        )
    place = {node: number for number, node in enumerate(graph.nodes)}
    attribute = weight or "weight"
    found = [(place[a], place[b], data.get(attribute)) for a, b, data in graph.edges(data=True)]
    given = any(value is not None for _, _, value in found)
    if weight and not given:
        raise UsageError(f"no edge of the graph has the attribute {weight!r}; name another one, or omit weight")
    sources, targets = (np.array([edge[side] for edge in found], np.int32) for side in (0, 1))
    weights = _weights(1 if value is None else value for _, _, value in found) if given else None
    return Edges(names, sources, targets, weights)


def numbered() -> Names:
    """Return a dictionary that numbers its keys in the order in which they are first looked up."""
    names: Names = defaultdict()
    names.default_factory = names.__len__
    return names


def edges_of_tuples(tuples: Iterable[Any]) -> Edges:
    """Return the edges of pairs or triples: two names, texts or integers, and in triples a weight."""
    names = numbered()
    sources, targets, weights = list[int](), list[int](), list[Any]()
    size = 0
    for number, edge in enumerate(tuples):
        source, target, *rest = _checked(number, edge, size)
        size = 2 + len(rest)
        sources.append(names[_name(number, source)])
        targets.append(names[_name(number, target)])
        weights += rest
    return Edges(
        list(names), np.array(sources, np.int32), np.array(targets, np.int32), _weights(weights) if size == 3 else None
    )


def _checked(number: int, edge: Any, size: int) -> list[Any]:
    """Return the parts of an edge, which must be as many as those of the edges before: `size`, 0 for the first."""
    if isinstance(edge, str | bytes) or not isinstance(edge, Iterable):
        raise UsageError(f"{WANTED}; edge {number} is {type(edge).__name__}")
    parts = list(edge)
    if len(parts) != (size or len(parts)) or len(parts) not in (2, 3):
        expected = {0: "two names, or two names and a weight", 2: "two, as before", 3: "three, as before"}[size]
        raise UsageError(f"edge {number} has {len(parts)} parts, expected {expected}; give all edges the same form")
    return parts


def _name(number: int, node: object) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, numbers.Integral):
        return str(int(node))
    raise UsageError(f"edge {number} has a node of type {type(node).__name__}; names are texts or integers")


def _weights(values: Iterable[Any]) -> NDArray[np.float64]:
    def checked() -> Iterator[float]:
        for number, value in enumerate(values):
            try:
                weight = float(value) if isinstance(value, numbers.Real) else math.nan
            except OverflowError:
                weight = math.inf if value > 0 else -math.inf
            if math.isnan(weight):
                raise UsageError(f"the weight of edge {number} is {value!r}, which is not a number; give a number")
            yield weight

    weights = np.fromiter(checked(), np.float64)
    check_weights(weights)
    return weights

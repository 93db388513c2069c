"""A vocabulary as a trie of bytes in a hash table, for the longest piece at a place of a word."""

from collections.abc import Mapping
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters import as_array
from rowspace.text.characters.kernels import number

__all__ = ["NO_NODE", "build_trie", "longest_piece", "node_of", "step"]

# An edge is two numbers. The first is 0 if free, else the node and byte that it starts with, plus 1. The second is the
# node that it leads to, and in the lower 32 bits the id of the token that ends there, plus 1, or 0.
NO_NODE = -1  # node 0 is the root
SPREAD = 0x9E3779B1  # 2^32 / golden ratio
ID_MASK = 0xFFFFFFFF


def build_trie(vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the trie of a vocabulary as a hash table of edges: int64 (2^k, 2).

    >>> trie = build_trie({"cat": 7, "ca": 2})
    >>> data = np.frombuffer(b"cats", np.uint8)
    >>> [int(value) for value in longest_piece(trie, 0, data, 0, 4)]
    [3, 7]
    """
    tokens = sorted((token.encode(), number) for token, number in vocabulary.items())
    data = as_array(b"".join(token for token, _ in tokens))
    indptr = np.fromiter(accumulate((len(token) for token, _ in tokens), initial=0), np.int64, len(tokens) + 1)
    nodes = count_nodes(data, indptr)
    trie = np.zeros((2 ** int(nodes * 3 // 2).bit_length(), 2), np.int64)
    fill_trie(data, indptr, np.array([number for _, number in tokens], np.int64), trie)
    return trie


def node_of(trie: NDArray[np.int64], prefix: str) -> int:
    """Return the node that a prefix leads to, or -1."""
    node = 0
    for byte in prefix.encode():
        node = node if node == NO_NODE else step(trie, node, byte)[0]
    return node


@kernel
def count_nodes(data: NDArray[np.uint8], indptr: NDArray[np.int64]) -> int:
    """Return the number of nodes of the trie of tokens data[indptr[i]:indptr[i + 1]], which are sorted."""
    nodes, previous = 1, 0
    for token in range(indptr.size - 1):
        begin, size = indptr[token], indptr[token + 1] - indptr[token]
        same, most = 0, min(size, begin - previous)
        while same < most and data[previous + same] == data[begin + same]:
            same += 1
        nodes += size - same
        previous = begin
    return nodes


@kernel
def fill_trie(
    data: NDArray[np.uint8], indptr: NDArray[np.int64], ids: NDArray[np.int64], trie: NDArray[np.int64]
) -> None:
    """Write the edges of tokens with their ids to `trie`: int64 (2^k, 2) zeros, with more items than nodes."""
    nodes = 1
    for token in range(indptr.size - 1):
        node, edge = 0, -1
        for index in range(indptr[token], indptr[token + 1]):
            byte = number(data, index)
            edge = find_edge(trie, node, byte)
            if trie[edge, 0] == 0:
                trie[edge, 0] = ((node << 8) | byte) + 1
                trie[edge, 1] = nodes << 32
                nodes += 1
            node = trie[edge, 1] >> 32
        if edge >= 0:
            trie[edge, 1] = (node << 32) | (ids[token] + 1)


@kernel
def find_edge(trie: NDArray[np.int64], node: int, byte: int) -> int:
    """Return the index of the edge from a node by a byte, or the free index that it would take."""
    mask, key = len(trie) - 1, (node << 8) | byte
    edge = ((key * SPREAD) >> 12) & mask
    while trie[edge, 0] != 0 and trie[edge, 0] != key + 1:
        edge = (edge + 1) & mask
    return edge


@kernel
def step(trie: NDArray[np.int64], node: int, byte: int) -> tuple[int, int]:
    """Return the node that a byte leads to, or `NO_NODE`, and the id of the token that ends there, or -1."""
    edge = find_edge(trie, node, byte)
    if trie[edge, 0] == 0:
        return NO_NODE, -1
    return int(trie[edge, 1] >> 32), int(trie[edge, 1] & ID_MASK) - 1


@kernel
def longest_piece(
    trie: NDArray[np.int64], node: int, data: NDArray[np.uint8], begin: int, stop: int
) -> tuple[int, int]:
    """Return where the longest token from `node` along data[begin:stop] ends, `begin` if there is none, and its id."""
    found, identity, index = begin, -1, begin
    while index < stop and node != NO_NODE:
        node, value = step(trie, node, number(data, index))
        index += 1
        if value >= 0:
            found, identity = index, value
    return found, identity

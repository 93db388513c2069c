"""A vocabulary → its trie."""

from collections.abc import Mapping
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.trie import kernels
from rowspace.text.characters import as_array

__all__ = ["build_trie", "node_of"]


def build_trie(vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the trie of a vocabulary as a hash table of edges: int64 (2^k, 2).

    >>> trie = build_trie({"cat": 7, "ca": 2})
    >>> data = np.frombuffer(b"cats", np.uint8)
    >>> [int(value) for value in kernels.longest_piece(trie, 0, data, 0, 4)]
    [3, 7]
    """
    tokens = sorted((token.encode(), number) for token, number in vocabulary.items())
    data = as_array(b"".join(token for token, _ in tokens))
    indptr = np.fromiter(accumulate((len(token) for token, _ in tokens), initial=0), np.int64, len(tokens) + 1)
    nodes = kernels.count_nodes(data, indptr)
    trie = np.zeros((2 ** int(nodes * 3 // 2).bit_length(), 2), np.int64)
    kernels.fill_trie(data, indptr, np.array([number for _, number in tokens], np.int64), trie)
    return trie


def node_of(trie: NDArray[np.int64], prefix: str) -> int:
    """Return the node that a prefix leads to, or -1."""
    node = 0
    for byte in prefix.encode():
        node = node if node == kernels.NO_NODE else kernels.step(trie, node, byte)[0]
    return node

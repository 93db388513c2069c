"""The binary tree of hierarchical softmax: frequent words get short paths."""

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["HuffmanTree", "huffman_tree"]


class HuffmanTree(NamedTuple):
    """The path of each word from the root: those of word w are `starts[w]` to `starts[w + 1]`.

    `points` are the inner nodes, numbered from 0, and `codes` which child follows.
    """

    starts: NDArray[np.int64]  # (V + 1,)
    points: NDArray[np.int32]
    codes: NDArray[np.uint8]


def huffman_tree(counts: NDArray[np.integer]) -> HuffmanTree:
    """Return the tree of V words with these counts, with V - 1 inner nodes; the root is the last.

    Source: Huffman (1952); hierarchical softmax by Morin & Bengio (2005), as in word2vec (Mikolov et al. 2013).

    >>> tree = huffman_tree(np.array([5, 2, 1]))
    >>> [tree.codes[tree.starts[w] : tree.starts[w + 1]].tolist() for w in range(3)]
    [[1], [0, 1], [0, 0]]
    """
    size = len(counts)
    heap = [(int(count), node) for node, count in enumerate(counts)]
    heapq.heapify(heap)
    parent, code = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.uint8)
    for node in range(size, 2 * size - 1):
        (low, left), (high, right) = heapq.heappop(heap), heapq.heappop(heap)
        parent[left], parent[right], code[right] = node, node, 1
        heapq.heappush(heap, (low + high, node))
    root, starts = 2 * size - 2, np.zeros(size + 1, np.int64)
    points, codes = list[int](), list[int]()
    for word in range(size):
        path, node = [], word
        while node != root:
            path.append((int(parent[node]) - size, int(code[node])))
            node = int(parent[node])
        points += [point for point, _ in reversed(path)]
        codes += [bit for _, bit in reversed(path)]
        starts[word + 1] = len(points)
    return HuffmanTree(starts, np.array(points, np.int32), np.array(codes, np.uint8))

"""The Huffman tree of hierarchical softmax, as fastText builds it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NEVER", "Tree", "build_tree"]

NEVER = 10**15  # the count of a node that is not built yet; those of labels must have a smaller sum


class Tree(NamedTuple):
    """The branches of each inner node: a label, or the number of labels plus an inner node; the last is the root."""

    lefts: NDArray[np.int32]  # (labels - 1,)
    rights: NDArray[np.int32]

    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
        """Return the nodes above each label in CSR form, from the label up, and whether the right branch is taken."""
        labels = len(self.lefts) + 1
        parents, is_right = np.full(2 * labels - 1, -1), np.zeros(2 * labels - 1, bool)
        for node, (left, right) in enumerate(zip(self.lefts, self.rights, strict=True)):
            parents[[left, right]], is_right[right] = node, True
        nodes, sides, ends = list[int](), list[bool](), [0]
        for label in range(labels):
            place = label
            while parents[place] >= 0:
                nodes.append(int(parents[place]))
                sides.append(bool(is_right[place]))
                place = labels + nodes[-1]
            ends.append(len(nodes))
        return np.array(ends, np.int64), np.array(nodes, np.int32), np.array(sides, np.bool_)


def build_tree(counts: NDArray[np.int64]) -> Tree:
    """Return the tree of labels with these counts, most frequent first.

    >>> build_tree(np.array([5, 2, 1]))
    Tree(lefts=array([2, 3], dtype=int32), rights=array([1, 0], dtype=int32))
    """
    labels = len(counts)
    sums = [*counts.tolist(), *[NEVER] * (labels - 1)]
    leaf, inner, branches = labels - 1, labels, list[list[int]]()
    for node in range(labels, 2 * labels - 1):
        pair = []
        for _ in range(2):
            if leaf >= 0 and sums[leaf] < sums[inner]:
                pair.append(leaf)
                leaf -= 1
            else:
                pair.append(inner)
                inner += 1
        sums[node] = sums[pair[0]] + sums[pair[1]]
        branches.append(pair)
    found = np.array(branches, np.int32).reshape(-1, 2)
    return Tree(found[:, 0].copy(), found[:, 1].copy())

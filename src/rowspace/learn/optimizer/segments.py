"""The distinct rows of a sparse gradient, and where their parts are: `Segments`."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["Segments", "distinct_rows", "summed_gradient"]


@dataclass(frozen=True)
class Segments:
    """The gradient of `rows[i]` is the sum of `gradients[order[starts[i]:starts[i + 1]]]`, in this order.

    The order is that of the sparse tensor, so the sum does not depend on the number of threads.
    """

    rows: NDArray[np.int64]  # (n,) sorted
    starts: NDArray[np.int64]  # (n + 1,)
    order: NDArray[np.int64]  # (N,)
    gradients: Tensor  # (N, d)

    @classmethod
    def of_gradient(cls, gradient: Tensor, dtype: torch.dtype) -> "Segments":
        """Sort the ids of a sparse gradient (V, d) on the CPU; its values are converted to `dtype`."""
        ids = gradient._indices()[0].numpy()
        values = gradient._values().detach().to(dtype).contiguous()
        count = len(ids)
        order = np.arange(count)
        if not gradient.is_coalesced() and count > 1:
            bits = int(count - 1).bit_length()
            keys = np.sort((ids << bits) | order)  # faster than a stable argsort, and as stable
            ids, order = keys >> bits, keys & ((1 << bits) - 1)
        starts = np.flatnonzero(np.diff(ids, prepend=-1))
        return cls(ids[starts], np.append(starts, count), order, values)

    def split(self, pieces: int) -> list[tuple[int, int]]:
        """Split the rows into ranges of about equal work: one unit per part, and three per row."""
        work = self.starts[1:] + 3 * np.arange(1, len(self.rows) + 1)
        total = int(work[-1]) if len(work) else 0
        ends = np.searchsorted(work, [total * number // pieces for number in range(1, pieces)], side="right")
        edges = [0, *(int(end) for end in ends), len(self.rows)]
        return [(begin, end) for begin, end in pairwise(edges) if end > begin]


def distinct_rows(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct values of `ids`, sorted.

    >>> distinct_rows(np.array([3, 1, 3]))
    array([1, 3])
    """
    ids = np.sort(ids)
    return ids[np.flatnonzero(np.diff(ids, prepend=-1))]


def summed_gradient(gradient: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """The distinct rows of a sparse gradient (V, d), sorted, and their gradients (n, d) in `dtype`, on any device."""
    if gradient.dtype != dtype and not gradient.is_coalesced():
        gradient = torch.sparse_coo_tensor(
            gradient._indices(), gradient._values().to(dtype), gradient.shape, check_invariants=False
        )
    gradient = gradient.coalesce()
    return gradient.indices()[0], gradient.values().to(dtype)

"""`Segments`: the distinct rows of a sparse gradient and where their parts are; `run_ranges`: kernels on their ranges.

A step takes a few milliseconds, so the threads are kept between steps, and the calling thread works too. They are not
those of torch, which wait actively for some time after an operation and take the processor from what follows.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace._base.parallel import available_cores

__all__ = ["Segments", "distinct_rows", "run_ranges", "summed_gradient"]


class Segments(NamedTuple):
    """Row `rows[i]` is that of the ids number `order[starts[i]:starts[i + 1]]`.

    The order is that of the ids, so that a sum over them does not depend on the number of threads.
    """

    rows: NDArray[np.int64]  # (n,) sorted
    starts: NDArray[np.int64]  # (n + 1,)
    order: NDArray[np.int64]  # (N,)

    @classmethod
    def of_ids(cls, ids: NDArray[np.int64], *, are_distinct: bool = False) -> "Segments":
        """Sort ids (N,); `are_distinct` is for ids that are sorted already.

        >>> Segments.of_ids(np.array([7, 3, 7]))
        Segments(rows=array([3, 7]), starts=array([0, 1, 3]), order=array([1, 0, 2]))
        """
        count = len(ids)
        order = np.arange(count)
        if not are_distinct and count > 1:
            bits = int(count - 1).bit_length()
            keys = np.sort((ids << bits) | order)  # faster than a stable argsort, and as stable
            ids, order = keys >> bits, keys & ((1 << bits) - 1)
        starts = _first_places(ids)
        return cls(ids[starts], np.append(starts, count), order)

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
    return ids[_first_places(ids)]


def _first_places(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of the first of each distinct value in sorted ids."""
    is_first = np.ones(len(ids), bool)
    np.not_equal(ids[1:], ids[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def summed_gradient(gradient: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """The distinct rows of a sparse gradient (V, d), sorted, and their gradients (n, d) in `dtype`, on any device."""
    if gradient.dtype != dtype and not gradient.is_coalesced():
        gradient = torch.sparse_coo_tensor(
            gradient._indices(), gradient._values().to(dtype), gradient.shape, check_invariants=False
        )
    gradient = gradient.coalesce()
    return gradient.indices()[0], gradient.values().to(dtype)


PIECES_PER_THREAD = 4  # so that another thread can take over the pieces of a slow one
MIN_PER_PIECE = 1 << 17  # numbers; less work is done before another thread has started


def run_ranges(task: Callable[[int, int], None], segments: Segments, width: int) -> None:
    """Call `task(begin, end)` for ranges of the rows, of this width, on torch's number of threads."""
    threads = torch.get_num_threads()
    ranges = segments.split(min(PIECES_PER_THREAD * threads, 1 + len(segments.rows) * width // MIN_PER_PIECE))
    waiting = iter(ranges)  # shared by the threads

    def work() -> None:
        for begin, end in waiting:
            task(begin, end)

    helpers = [_helpers().submit(work) for _ in range(min(threads, len(ranges)) - 1)]
    try:
        work()
    finally:
        for helper in helpers:
            if not helper.cancel():  # it has started
                helper.result()


def _helpers() -> ThreadPoolExecutor:
    """The threads, which start when they are first needed."""
    if not _pool:
        _pool.append(ThreadPoolExecutor(available_cores(), thread_name_prefix="rowspace"))
    return _pool[0]


_pool: list[ThreadPoolExecutor] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.clear)  # a new process has none of the threads

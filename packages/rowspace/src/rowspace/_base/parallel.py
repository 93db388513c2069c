"""Threads and processes: the number of threads, parallel work on the pieces of a range, processes that end with ours.

Kernels run without the interpreter lock, so threads use all cores.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from threading import RLock
from typing import TypeVar

__all__ = ["array_imports", "available_cores", "die_with_parent", "map_ranges", "split_range", "torch_threads"]

Result = TypeVar("Result")
PIECES_PER_CORE = 4  # so that other cores can take over the pieces of a slow one


def available_cores() -> int:
    """Return the number of processors that this process may use, which a container may limit.

    >>> available_cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_range(total: int, *, minimum: int = 1, pieces: int | None = None) -> list[tuple[int, int]]:
    """Split range(total) into pieces of about equal size.

    Args:
        total: The length of the range.
        minimum: The smallest useful piece; a range shorter than two of these is not split.
        pieces: Maximum number of pieces; by default `PIECES_PER_CORE` per core.

    Returns:
        (begin, end) of each piece.

    >>> split_range(10, minimum=6), split_range(10, pieces=3)
    ([(0, 10)], [(0, 3), (3, 6), (6, 10)])
    """
    maximum = PIECES_PER_CORE * available_cores() if pieces is None else pieces
    count = max(1, min(maximum, total // minimum))
    return list(pairwise(total * number // count for number in range(count + 1)))


def map_ranges(
    task: Callable[[int, int], Result], ranges: Sequence[tuple[int, int]], *, threads: int | None = None
) -> list[Result]:
    """Call `task(begin, end)` for each of the ranges in parallel.

    Args:
        task: A function that releases the interpreter lock, such as a kernel.
        ranges: (begin, end) of each range.
        threads: Number of threads; by default one per core.

    Returns:
        The results in the order of the ranges.

    >>> map_ranges(lambda begin, end: end - begin, [(0, 3), (3, 7)])
    [3, 4]
    """
    threads = min(len(ranges), available_cores() if threads is None else threads)
    if threads <= 1:
        return [task(*each) for each in ranges]
    with ThreadPoolExecutor(threads, thread_name_prefix="rowspace") as pool:
        return list(pool.map(lambda each: task(*each), ranges))


@contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Let PyTorch use this number of threads in a block, and as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int | None = None) -> None:
    """Let Linux kill this process when the thread that started it ends; elsewhere, do nothing.

    Args:
        parent: Its process id, to end at once if it no longer runs.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if parent is not None and os.getppid() != parent:
            os._exit(1)


array_imports = RLock()
"""Held while PyTorch or scikit-learn is imported in a process that may have other threads."""

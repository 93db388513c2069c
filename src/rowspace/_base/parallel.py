"""How many threads are worth starting, and work on a range that they share.

Kernels run without the interpreter's lock, so that plain threads use all cores.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

__all__ = ["available_cores", "map_ranges", "split_range"]

Result = TypeVar("Result")
PIECES_PER_CORE = 4  # a core that is slowed down leaves some of its pieces to the others


def available_cores() -> int:
    """Return how many processors this process may use, which a container may limit.

    >>> available_cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_range(total: int, *, least: int = 1, pieces: int | None = None) -> list[tuple[int, int]]:
    """Cut range(total) into pieces of about equal size, each from `begin` up to `end`.

    Args:
        total: The length of the range.
        least: The smallest piece that is worth a thread; a range that is shorter stays whole.
        pieces: How many at most; by default some more than there are cores.

    >>> split_range(10, least=6), split_range(10, pieces=3)
    ([(0, 10)], [(0, 3), (3, 6), (6, 10)])
    """
    most = PIECES_PER_CORE * available_cores() if pieces is None else pieces
    count = max(1, min(most, total // least))
    return list(pairwise(total * number // count for number in range(count + 1)))


def map_ranges(
    task: Callable[[int, int], Result], ranges: Sequence[tuple[int, int]], *, threads: int | None = None
) -> list[Result]:
    """Call `task(begin, end)` on each of the ranges, on all cores or on `threads`; return the results in order.

    >>> map_ranges(lambda begin, end: end - begin, [(0, 3), (3, 7)])
    [3, 4]
    """
    threads = min(len(ranges), available_cores() if threads is None else threads)
    if threads <= 1:
        return [task(*each) for each in ranges]
    with ThreadPoolExecutor(threads, thread_name_prefix="rowspace") as pool:
        return list(pool.map(lambda each: task(*each), ranges))

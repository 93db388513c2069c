"""Kernels on ranges of rows, on as many threads as torch uses: `run_ranges`.

A step takes a few milliseconds, so the threads are kept between steps, and the calling thread works too. They are not
those of torch, which wait actively for some time after an operation and take the processor from what follows.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch

from rowspace._base.parallel import available_cores
from rowspace.optim.rows.segments import Segments

__all__ = ["run_ranges"]

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

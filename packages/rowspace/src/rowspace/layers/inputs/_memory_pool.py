"""A pool of memory for large tensors: `pooled_empty`, `lazy_zeros`.

Allocating and clearing the pages of a new 50 MB tensor takes the system as long as a pass over it. The pool keeps the
pages of the last few freed tensors mapped, in huge pages if the system has them (Linux). Memory returns to the pool
when the tensor and all its views are freed. Small tensors come from torch's allocator.
"""

import math
import mmap
import os
import sys
import threading
import weakref

import numpy as np
import torch
from torch import Tensor

__all__ = ["LARGE", "lazy_zeros", "pooled_empty"]

LARGE = 1 << 22  # bytes; smaller allocations are fast
MAP_NORESERVE = 0x4000  # of Linux; in the module mmap only since Python 3.13
MAX_FREE = 3  # blocks in the pool


def pooled_empty(*shape: int) -> Tensor:
    """Return an uninitialized float32 tensor (shape), like `torch.empty`.

    >>> pooled_empty(2, 3).shape
    torch.Size([2, 3])
    """
    size = 4 * math.prod(shape)
    if size < LARGE:
        return torch.empty(*shape)
    memory = _take(size) or _map(size)
    array = np.frombuffer(memory, np.float32).reshape(shape)
    weakref.finalize(array, _release, memory).atexit = False
    return torch.from_numpy(array)


def lazy_zeros(*shape: int) -> Tensor:
    """Return float32 zeros, like `torch.zeros`; pages that are never accessed take neither time nor memory."""
    size = 4 * math.prod(shape)
    if size < LARGE:
        return torch.zeros(*shape)
    return torch.from_numpy(np.frombuffer(_map(size), np.float32).reshape(shape))


def _map(size: int) -> mmap.mmap:
    """Map new memory, which is all zeros.

    Of a block near the size of the machine's memory or beyond, as for a table in a file, only some pages are used: they
    are small, and the system does not reserve the others.
    """
    # Linux has huge pages for private memory only.
    options = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
    if sys.platform == "linux" and size > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4:
        return mmap.mmap(-1, size, flags=options["flags"] | MAP_NORESERVE)
    memory = mmap.mmap(-1, size, **options)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _take(size: int) -> mmap.mmap | None:
    """Take the most recently freed block of this size, whose pages may still be in the processor's cache."""
    with _lock:
        matching = [index for index, memory in enumerate(_free) if len(memory) == size]
        return _free.pop(matching[-1]) if matching else None


def _release(memory: mmap.mmap) -> None:
    """Return a block to the pool; the oldest one is unmapped."""
    with _lock:
        _free.append(memory)
        del _free[:-MAX_FREE]


_free: list[mmap.mmap] = []
_lock = threading.RLock()  # reentrant, since the garbage collector may release a block while this thread takes one

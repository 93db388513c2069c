"""Memory for large tensors, used again once the tensor that had it is freed: `pooled_empty`, `lazy_zeros`.

The system needs as long to find and clear the pages of a fresh 50 MB tensor as a pass over it takes. Here the pages of
the last few freed tensors stay mapped, in huge pages where the system has them (Linux). A tensor keeps its memory while
it or a view of it lives. Small tensors come from torch's allocator.
"""

import math
import mmap
import threading
import weakref

import numpy as np
import torch
from torch import Tensor

__all__ = ["lazy_zeros", "pooled_empty"]

LARGE = 1 << 22  # bytes; below, pages are found quickly
KEPT = 3  # pieces of memory that wait for a use


def pooled_empty(*shape: int) -> Tensor:
    """Return an uninitialized float32 tensor (shape), like `torch.empty`.

    >>> pooled_empty(2, 3).shape
    torch.Size([2, 3])
    """
    size = 4 * math.prod(shape)
    if size < LARGE:
        return torch.empty(*shape)
    memory = _found(size) or _mapped(size)
    array = np.frombuffer(memory, np.float32).reshape(shape)
    weakref.finalize(array, _give_back, memory).atexit = False
    return torch.from_numpy(array)


def lazy_zeros(*shape: int) -> Tensor:
    """Return float32 zeros, like `torch.zeros`, of which pages that nobody touches take neither time nor memory."""
    size = 4 * math.prod(shape)
    if size < LARGE:
        return torch.zeros(*shape)
    return torch.from_numpy(np.frombuffer(_mapped(size), np.float32).reshape(shape))


def _mapped(size: int) -> mmap.mmap:
    """Fresh memory, all zeros."""
    memory = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def _found(size: int) -> mmap.mmap | None:
    """The memory of this size that was given back last, since its pages may still be in the processor's cache."""
    with _lock:
        fitting = [place for place, memory in enumerate(_waiting) if len(memory) == size]
        place = fitting[-1] if fitting else None
        return None if place is None else _waiting.pop(place)


def _give_back(memory: mmap.mmap) -> None:
    """Let the next tensor of this size have it; the oldest goes back to the system."""
    with _lock:
        _waiting.append(memory)
        del _waiting[:-KEPT]


_waiting: list[mmap.mmap] = []
_lock = threading.RLock()  # a tensor may be collected, and give back, while its own thread looks for memory

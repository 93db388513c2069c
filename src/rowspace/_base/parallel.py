"""The default number of threads: `available_cores`."""

import os

__all__ = ["available_cores"]


def available_cores() -> int:
    """Return the number of processors that this process may use, which a container may limit.

    >>> available_cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

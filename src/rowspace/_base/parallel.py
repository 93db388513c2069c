"""How many threads are worth starting: the one number that every folder asks for."""

import os

__all__ = ["available_cores"]


def available_cores() -> int:
    """Return how many processors this process may use, which a container may limit.

    >>> available_cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

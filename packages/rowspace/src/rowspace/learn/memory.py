"""The memory of this machine, checked before large allocations."""

import os
from pathlib import Path

__all__ = ["available_memory"]

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def available_memory() -> float:
    """Return the memory of this machine or container in bytes; infinity if it is unknown."""
    try:
        physical = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        physical = float("inf")
    try:
        return min(physical, float(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no such file, or "max"
        return physical

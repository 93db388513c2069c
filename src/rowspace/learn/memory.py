"""Whether what a fit allocates fits into the memory of this machine, asked before anything is allocated."""

import os
from pathlib import Path

from rowspace.errors import UsageError
from rowspace.learn.allocation import bytes_needed
from rowspace.learn.options import FitOptions

__all__ = ["check_memory"]

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def check_memory(vocabulary_size: int, ngrams: int, options: FitOptions) -> None:
    """Raise `UsageError` where a fit of this size needs more memory than there is."""
    needed, available = bytes_needed(vocabulary_size, ngrams, options), _memory()
    if needed > available:
        raise UsageError(
            f"rows for {vocabulary_size:,} tokens with dim={options.dim} need {needed / 2**30:,.1f} GiB, but this "
            f"machine has {available / 2**30:,.1f} GiB of memory; lower dim, or keep fewer tokens"
            f"{', n-grams or buckets' if options.subwords else ''}{', or start fewer workers' * (options.threads > 1)}"
        )


def _memory() -> float:
    """The memory of this machine or container in bytes; infinite where the system does not tell."""
    try:
        physical = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        physical = float("inf")
    try:
        return min(physical, float(CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no such file, or "max"
        return physical

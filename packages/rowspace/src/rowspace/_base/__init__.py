"""Shared helpers: compiled kernels, threads, validation, plurals in messages, the cache directory, atomic writes."""

from itertools import accumulate

__all__ = ["ranges_of"]


def ranges_of(gaps: str) -> tuple[tuple[int, int], ...]:
    """Return ranges of code points (first, last + 1) from the differences between their bounds, in generated modules.

    >>> ranges_of("65 26 6 26")  # A to Z, a to z
    ((65, 91), (97, 123))
    """
    bounds = list(accumulate(map(int, gaps.split())))
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))

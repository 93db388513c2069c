"""Shared helpers: compiled kernels, threads, validation, plurals in messages, the cache directory, atomic writes."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TypeVar

__all__ = ["in_batches", "ranges_of"]

T = TypeVar("T")


def in_batches(items: Iterable[T], size: Callable[[T], int], least: int) -> Iterator[list[T]]:
    """Yield items in lists whose sizes have a sum of at least `least`, except the last.

    >>> list(in_batches(["a", "bc", "d", "e"], len, 3))
    [['a', 'bc'], ['d', 'e']]
    """
    batch, total = list[T](), 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total >= least:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def ranges_of(gaps: str) -> tuple[tuple[int, int], ...]:
    """Return ranges of code points (first, last + 1) from the differences between their bounds, in generated modules.

    >>> ranges_of("65 26 6 26")  # A to Z, a to z
    ((65, 91), (97, 123))
    """
    bounds = list(accumulate(map(int, gaps.split())))
    return tuple(zip(bounds[::2], bounds[1::2], strict=True))

"""Turn a function that reports through a callback into a generator, for `JobKind.run`."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

__all__ = ["iterate_callbacks"]

_Item = TypeVar("_Item")


def iterate_callbacks(work: Callable[[Callable[[_Item], None]], object]) -> Iterator[_Item]:
    """Run `work` in a thread and yield each value that it passes to its callback; re-raise its exception at the end.

    Args:
        work: A function that takes the callback.

    Yields:
        The values, in order, as they are reported.

    Example:
        >>> list(iterate_callbacks(lambda report: [report(step) for step in range(3)]))
        [0, 1, 2]
    """
    items: SimpleQueue[_Item | None] = SimpleQueue()
    with ThreadPoolExecutor(1) as thread:
        future = thread.submit(work, items.put)
        future.add_done_callback(lambda _: items.put(None))
        while (item := items.get()) is not None:
            yield item
    future.result()

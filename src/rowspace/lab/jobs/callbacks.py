"""Turn a function that reports through a callback into a generator, as a `JobKind` needs one."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

__all__ = ["told_by"]

_News = TypeVar("_News")


def told_by(work: Callable[[Callable[[_News], None]], object]) -> Iterator[_News]:
    """Yield what `work`, in a thread, gives to the function that it is called with; raise at the end what it raised.

    >>> list(told_by(lambda tell: [tell(step) for step in range(3)]))
    [0, 1, 2]
    """
    told: SimpleQueue[_News | None] = SimpleQueue()
    with ThreadPoolExecutor(1) as thread:
        worked = thread.submit(work, told.put)
        worked.add_done_callback(lambda _: told.put(None))
        while (news := told.get()) is not None:
            yield news
    worked.result()

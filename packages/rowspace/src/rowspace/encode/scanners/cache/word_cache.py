"""The arrays of a cache, and pools of caches for threads."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_WORD", "Pool", "WordCache"]

Memory = TypeVar("Memory")

MAX_WORD = 4096  # bytes, and ids, of a word
FIRST_SIZE = 4096  # of the table; it grows with the words, so that those of a small text stay in the processor's cache
KEY, VALUE = range(2)  # the columns of a slot
SIZE = VALUE  # of the first slot, which is not part of the table: the size of the table


class WordCache(NamedTuple):
    """The words met so far and their ids, which kernels read and write; only one thread at a time may use it.

    The memory is reserved at once but taken only as words come.

    Attributes:
        slots: int64 (2^k, 2), a hash table with open addresses in slots[size:2 * size], at most half full.
        arena: uint8, the bytes of long words, with room for a further word of `MAX_WORD` bytes at `used[BYTES]`.
        pool: int32, the ids of words with several ids.
        used: int64 (3,), how many words, bytes and ids are in use.
    """

    slots: NDArray[np.int64]
    arena: NDArray[np.uint8]
    pool: NDArray[np.int32]
    used: NDArray[np.int64]

    @classmethod
    def empty(cls, words: int = 2**17) -> "WordCache":
        """Return an empty cache.

        Args:
            words: Number of words it holds before it is cleared: a power of two.

        >>> cache = WordCache.empty(4)
        >>> cache.slots.shape, cache.used.tolist()
        ((16, 2), [0, 0, 0])
        """
        slots = np.zeros((4 * words, 2), np.int64)
        slots[0, SIZE] = min(2 * words, FIRST_SIZE)
        arena = np.empty(16 * words + MAX_WORD, np.uint8)
        return cls(slots, arena, np.empty(4 * words + MAX_WORD, np.int32), np.zeros(3, np.int64))


class Pool(Generic[Memory]):
    """Memories for any number of threads: each takes one, so that no thread waits for another. A pickled pool is empty.

    Args:
        make: Returns a new memory, when all are taken.

    >>> pool = Pool(WordCache.empty)
    >>> first, second = pool.take(), pool.take()
    >>> pool.give_back(first)
    >>> pool.take() is first
    True
    """

    def __init__(self, make: Callable[[], Memory]) -> None:
        self._make = make
        self._idle: list[Memory] = []

    def take(self) -> Memory:
        """Return a memory that no other thread has."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def give_back(self, memory: Memory) -> None:
        """Return a memory to the pool; after an error it is dropped, as it may be half written."""
        self._idle.append(memory)

    def __getstate__(self) -> dict[str, object]:
        return {"_make": self._make, "_idle": []}

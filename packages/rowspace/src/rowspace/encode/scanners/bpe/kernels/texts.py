"""The arguments and outputs of the kernels of BPE and Unigram: texts, ids, and pieces that are known."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.cache import WordCache
from rowspace.encode.texts import FlatIds, TextBuffer

__all__ = ["PADDING", "Known", "Output", "Texts", "empty_known"]

PADDING = 16  # bytes after the texts, which kernels may read
SPARE = 4  # ids after the last, which kernels may write


class Texts(NamedTuple):
    """Texts in one array: text i is data[indptr[i]:indptr[i + 1]]; 16 bytes follow the last."""

    data: NDArray[np.uint8]
    indptr: NDArray[np.int64]

    @classmethod
    def of(cls, buffer: TextBuffer, first: int, last: int) -> "Texts":
        """Return a copy of texts first … last - 1."""
        begin, end = int(buffer.indptr[first]), int(buffer.indptr[last])
        data = np.empty(end - begin + PADDING, np.uint8)
        data[: end - begin] = buffer.data[begin:end]
        data[end - begin :] = 0
        return cls(data, buffer.indptr[first : last + 1] - begin)

    @property
    def longest(self) -> int:
        """The bytes of the longest text."""
        return int((self.indptr[1:] - self.indptr[:-1]).max(initial=0))


class Output(NamedTuple):
    """The arrays that a scan writes.

    The ids of text i are ids[indptr[i]:indptr[i + 1]]. `left` marks texts that the tokenizer's library must encode.
    `scratch` is for the kernel's own use.
    """

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]
    left: NDArray[np.bool_]
    scratch: NDArray[np.int64]

    @classmethod
    def empty(cls, texts: Texts, *, ids: int, scratch: int) -> "Output":
        """Return arrays for so many ids, and so many numbers of scratch."""
        count = texts.indptr.size - 1
        return cls(
            ids=np.empty(ids + SPARE, np.int32),
            indptr=np.empty(count + 1, np.int64),
            left=np.empty(count, np.bool_),
            scratch=np.empty(scratch, np.int64),
        )

    @property
    def result(self) -> tuple[FlatIds, NDArray[np.int64]]:
        """The ids, and which texts are left to the library."""
        return FlatIds(self.ids[: self.indptr[-1]].copy(), self.indptr), self.left.nonzero()[0]


MEMORY_SETS = 2**16  # of two pieces each, 4 MB for each thread


class Known(NamedTuple):
    """Pieces met before: `memory` (2^k, 8) uint64 those that are short and frequent, `cache` all others."""

    memory: NDArray[np.uint64]
    cache: WordCache


def empty_known() -> Known:
    """Return an empty memory, each set of which is one line of the processor's cache, and an empty cache."""
    numbers = np.zeros(8 * MEMORY_SETS + 8, np.uint64)
    first = -(numbers.ctypes.data // 8) % 8
    return Known(numbers[first : first + 8 * MEMORY_SETS].reshape(MEMORY_SETS, 8), WordCache.empty())

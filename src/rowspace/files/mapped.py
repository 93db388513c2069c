"""A file's bytes as an array that nothing was read for yet, and threads that share the work on it.

Kernels run without the interpreter's lock, so that plain threads use all cores. Left out: what the bytes
mean. Read next: `kernels.py`, `word2vec.py`.
"""

import mmap
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import available_cores

__all__ = ["in_threads", "mapped_bytes", "shares"]

Result = TypeVar("Result")
SHARES_EACH = 4  # of the work per core: a core that is slowed down leaves some of its share to the others


def mapped_bytes(file: BinaryIO) -> NDArray[np.uint8]:
    """Return all bytes of an open `file`, read-only; they are read from the disk when first touched.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(b"abc")
    ...     mapped_bytes(file).tolist()
    [97, 98, 99]
    """
    if not file.seek(0, os.SEEK_END):  # which cannot be mapped
        return np.frombuffer(b"", np.uint8)
    file.flush()
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


def shares(total: int, *, least: int) -> list[tuple[int, int]]:
    """Cut range(total) into some more pieces than there are cores, of at least `least` but for a lone one.

    >>> shares(10, least=6)
    [(0, 10)]
    """
    count = max(1, min(SHARES_EACH * available_cores(), total // least))
    edges = [total * number // count for number in range(count + 1)]
    return list(pairwise(edges))


def in_threads(task: Callable[[int, int], Result], pieces: Sequence[tuple[int, int]]) -> list[Result]:
    """Call `task` on each piece, on all cores where there are several; return the results in order.

    >>> in_threads(lambda begin, end: end - begin, [(0, 3), (3, 7)])
    [3, 4]
    """
    if len(pieces) == 1:
        return [task(*pieces[0])]
    with ThreadPoolExecutor(available_cores(), thread_name_prefix="rowspace-store") as pool:
        return list(pool.map(lambda piece: task(*piece), pieces))

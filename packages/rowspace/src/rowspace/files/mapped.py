"""Files as arrays that are read from the disk when they are first accessed."""

import mmap
import os
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["map_array", "map_bytes"]


def map_bytes(file: BinaryIO) -> NDArray[np.uint8]:
    """Return all bytes of an open `file`, read-only.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(b"abc")
    ...     map_bytes(file).tolist()
    [97, 98, 99]
    """
    if not file.seek(0, os.SEEK_END):  # an empty file cannot be mapped
        return np.frombuffer(b"", np.uint8)
    file.flush()
    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


def map_array(file: BinaryIO, dtype: DTypeLike, offset: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array that begins at byte `offset` of an open `file`, read-only; one without elements is not mapped.

    >>> import tempfile
    >>> with tempfile.TemporaryFile() as file:
    ...     _ = file.write(bytes([9, 1, 0, 2, 0]))
    ...     file.flush()
    ...     map_array(file, "<i2", 1, (2,)).tolist(), map_array(file, "<i2", 1, (0, 3)).shape
    ([1, 2], (0, 3))
    """
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.memmap(file, dtype, "r", offset, shape)

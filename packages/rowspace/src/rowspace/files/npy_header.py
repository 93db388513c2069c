"""The header of a .npy file: dtype and shape, checked before memory is allocated for the array.

numpy reads the header as a Python literal of at most 10,000 bytes. Arrays of objects, which are pickles, are refused,
as is everything but the plain dtypes that tables consist of. Source: numpy's NEP 1.
"""

import math
import struct
import warnings
from tokenize import TokenError
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from rowspace.errors import FileFormatError, reason_of

__all__ = ["ArrayHeader", "read_array_header"]

HEADERS = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}
PLAIN = "fiuUS"  # kinds of dtype: floats, integers, text
REFUSALS = (ValueError, TypeError, SyntaxError, TokenError, EOFError, struct.error, MemoryError, RecursionError)


class ArrayHeader(NamedTuple):
    """The header of a .npy file, and the byte at which the numbers begin."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran: bool
    offset: int

    @property
    def size(self) -> int:
        """Return how many bytes the numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_array_header(file: IO[bytes], source: str) -> ArrayHeader:
    """Read the header at the start of `file` and leave it at the first number; `source` names it in errors.

    Raises `FileFormatError` if it is damaged, or of an array of objects.

    >>> import io
    >>> file = io.BytesIO()
    >>> np.save(file, np.zeros((2, 3), np.float32))
    >>> file.seek(0)
    0
    >>> read_array_header(file, "x")
    ArrayHeader(dtype=dtype('float32'), shape=(2, 3), is_fortran=False, offset=128)
    """
    try:
        version = npy_format.read_magic(file)
        if version not in HEADERS:
            raise FileFormatError(
                f"{source}: byte 6: version {version} of .npy is not supported; save it as version 1.0"
            )
        with warnings.catch_warnings():  # of headers from Python 2, and of odd literals in damaged ones
            warnings.simplefilter("ignore")
            shape, is_fortran, dtype = HEADERS[version](file)
    except FileFormatError:
        raise
    except REFUSALS as error:
        raise FileFormatError(
            f"{source}: byte 0: not a .npy header ({reason_of(error)}); the file is damaged, restore it"
        ) from None
    if dtype.hasobject:
        raise FileFormatError(f"{source}: byte 10: holds pickled objects, which are never opened; save plain arrays")
    if dtype.kind not in PLAIN or dtype.itemsize == 0 or min(shape, default=0) < 0:
        raise FileFormatError(
            f"{source}: byte 10: {dtype} of shape {shape} is not a supported array; check what it holds"
        )
    return ArrayHeader(dtype, shape, is_fortran, file.tell())

"""Files as arrays that are read from the disk when they are first accessed; `BinaryReader`; the header of .npy files.

numpy reads that header as a Python literal of at most 10,000 bytes. Arrays of objects, which are pickles, are refused,
as is everything but the plain dtypes that tables consist of. Source: numpy's NEP 1.
"""

import math
import mmap
import os
import struct
import warnings
from tokenize import TokenError
from typing import IO, Any, BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import DTypeLike, NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError, reason_of

__all__ = ["ArrayHeader", "BinaryReader", "map_array", "map_bytes", "read_array_header"]

HEADERS = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}
PLAIN = "fiuUS"  # kinds of dtype: floats, integers, text
REFUSALS = (ValueError, TypeError, SyntaxError, TokenError, EOFError, struct.error, MemoryError, RecursionError)


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


class BinaryReader:
    """The bytes of a file and the position of the next part, which is compared with what is left before it is read.

    `source` is the file's name in errors.

    >>> reader = BinaryReader(np.frombuffer(bytes([7, 0, 1]), np.uint8), "x")
    >>> reader.numbers("<i2", 1, "a number").tolist(), reader.flag("an end"), reader.place
    ([7], True, 3)
    >>> reader.flag("more")
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: x: byte 3: ends before more: 1 byte needed, 0 left; download it again
    """

    def __init__(self, data: NDArray[np.uint8], source: str) -> None:
        self.data = data
        self.source = source
        self.place = 0

    def numbers(self, code: str, count: int, what: str) -> NDArray[Any]:
        """Return the next `count` numbers of dtype `code`, as a view."""
        size = np.dtype(code).itemsize * count
        self.check(size, what)
        found = self.data[self.place : self.place + size].view(code)
        self.place += size
        return found

    def matrix(self, code: str, rows: int, columns: int, what: str) -> NDArray[Any]:
        """Return the next (rows, columns) numbers of dtype `code`, as a view."""
        return self.numbers(code, rows * columns, what).reshape(rows, columns)

    def sizes(self, what: str) -> tuple[int, int]:
        """Return the next two int64: the number of rows, and of columns, from 1 to 2³¹ - 1."""
        rows, columns = self.numbers("<i8", 2, what).tolist()
        if rows < 0 or not (rows > 0) <= columns < 2**31:
            raise self.error(f"{what} are {rows:,} and {columns:,}", 16)
        return rows, columns

    def flag(self, what: str) -> bool:
        """Return the next byte, which is 0 or 1."""
        value = int(self.numbers("u1", 1, what)[0])
        if value > 1:
            raise self.error(f"{what} is {value}, expected 0 or 1", 1)
        return bool(value)

    def check(self, size: int, what: str) -> None:
        """Raise `FileFormatError` if fewer than `size` bytes are left."""
        left = self.data.size - self.place
        if size > left:
            raise FileFormatError(
                f"{self.source}: byte {self.place}: ends before {what}: {plural(size, 'byte')} needed, {left:,} left; "
                "download it again"
            )

    def end(self) -> None:
        """Raise `FileFormatError` unless this is the end of the file."""
        if self.place != self.data.size:
            raise self.error("data continues after the end of the model", 0)

    def error(self, what: str, before: int) -> FileFormatError:
        """Return the error about what is `before` bytes before this place."""
        return FileFormatError(f"{self.source}: byte {self.place - before}: {what}; it is damaged, download it again")


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
    if dtype.kind not in PLAIN or dtype.itemsize == 0 or any(type(size) is bool or size < 0 for size in shape):
        raise FileFormatError(
            f"{source}: byte 10: {dtype} of shape {shape} is not a supported array; check what it holds"
        )
    return ArrayHeader(dtype, shape, is_fortran, file.tell())

"""`BinaryReader`: walk through a binary file, and compare each part with what is left of the file before reading it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError

__all__ = ["BinaryReader"]


class BinaryReader:
    """The bytes of a file and the position of the next part; `source` is the file's name in errors.

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

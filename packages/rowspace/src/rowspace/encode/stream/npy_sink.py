"""Vectors → a .npy file: rows are appended to a file whose header, of known size, is written at the end."""

import io
import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from rowspace._base.atomic import move_file, translate_os_errors
from rowspace.encode.stream.sink import Mark, Sink, SinkOptions
from rowspace.errors import FileFormatError

__all__ = ["NpySink", "is_moved", "npy_header"]

ROWS_NAME = "rows.npy"
AT_ONCE = 1 << 20


class NpySink(Sink):
    """Appends rows to `rows.npy` in the run folder; its mark is the number of rows, with the checksum of their bytes.

    Args:
        options: What to write.
        mark: The rows to keep of an earlier run; None to start a new file.

    Raises:
        FileFormatError: The file has fewer rows, or others.
    """

    def __init__(self, options: SinkOptions, mark: Mark | None) -> None:
        self.options = options
        self.path = options.folder / ROWS_NAME
        self.rows, self.checksum = mark.size if mark else 0, 0
        header = npy_header(options.dtype, 0, options.width)
        size = len(header) + self.rows * options.width * options.dtype.itemsize
        if mark is None:
            self._file: BinaryIO = self.path.open("wb")
            self._file.write(header)
            return
        if not self.path.is_file() or self.path.stat().st_size < size:
            raise FileFormatError(f"{self.path} has fewer than {self.rows:,} rows; start again without resume")
        self._file = self.path.open("r+b")
        self._file.truncate(size)
        self._file.seek(len(header))
        while block := self._file.read(AT_ONCE):
            self.checksum = zlib.crc32(block, self.checksum)
        if mark.checksums not in (None, (self.checksum,)):
            self._file.close()
            raise FileFormatError(f"{self.path} is damaged (its checksum differs); start again without resume")

    def write(self, texts: Sequence[str | None], vectors: NDArray[Any]) -> None:
        """Append rows; the format has no texts."""
        data = np.ascontiguousarray(vectors).data
        self._file.write(data)
        self.checksum = zlib.crc32(data, self.checksum)
        self.rows += len(texts)

    def commit(self) -> Mark:
        """Sync the rows, and return their number and checksum."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return Mark(self.rows, (self.checksum,))

    def finish(self, target: Path, on_rows: Callable[[int], None]) -> None:
        """Write the header with the number of rows, and rename the file."""
        self._file.seek(0)
        self._file.write(npy_header(self.options.dtype, self.rows, self.options.width))
        self._file.close()
        with translate_os_errors(target):
            move_file(self.path, target)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def npy_header(dtype: np.dtype[Any], rows: int, width: int) -> bytes:
    """Return the header of a .npy file; numpy leaves room in it, so that its size does not depend on `rows`.

    >>> {len(npy_header(np.dtype(np.float32), 10**digits, 384)) for digits in range(18)}
    {128}
    """
    file = io.BytesIO()
    descr = npy_format.dtype_to_descr(dtype)
    npy_format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (rows, width)})
    return file.getvalue()


def is_moved(folder: Path, target: Path) -> bool:
    """Whether the rows of a complete run have been renamed to the target."""
    return target.exists() and not (folder / ROWS_NAME).exists()

"""The bytes of a file of words, which may be compressed as .gz, or be the only file in a .zip.

Compressed content is unpacked into a temporary file and mapped. A file that unpacks to more than `MAX_RATIO` its size
is rejected: vectors hardly compress, so it is probably a decompression bomb.
"""

import gzip
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, RowspaceError, reason_of
from rowspace.files.mapped import map_bytes
from rowspace.files.open_folder import open_regular

__all__ = ["SNIFFED", "map_content", "read_start", "read_unpacked_start", "zip_members"]

SNIFFED = 1 << 16  # bytes
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
AT_ONCE = 1 << 20
MIN_UNPACKED, MAX_RATIO = 1 << 26, 20  # bytes that any file may unpack to, and the largest ratio to its size
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
REFUSALS = (zipfile.BadZipFile, zlib.error, EOFError, gzip.BadGzipFile, NotImplementedError, RuntimeError, ValueError)


def map_content(path: Path) -> NDArray[np.uint8]:
    """Return all bytes of the table at `path`, mapped; raises `FileFormatError` if it cannot be unpacked."""
    with open_regular(path) as file, _unpacked(file, path) as stream:
        return map_bytes(file) if stream is None else _copied(stream, file, path)


def read_start(path: Path) -> bytes:
    """Return the first 64 KiB of the file `path`, or all of a shorter one."""
    with open_regular(path) as file:
        return _read(file, path, SNIFFED)


def read_unpacked_start(path: Path) -> bytes:
    """Return the first 64 KiB of the table at `path`, or all of a shorter one; b"" if it cannot be unpacked."""
    with open_regular(path) as file:
        try:
            with _unpacked(file, path) as stream:
                return _read(file, path, SNIFFED) if stream is None else stream.read(SNIFFED)
        except FileFormatError:
            return b""


def zip_members(file: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Return the files in an open .zip without those that macOS adds; none if it is damaged."""
    try:
        with zipfile.ZipFile(file) as archive:
            return [info for info in archive.infolist() if not (info.is_dir() or info.filename.startswith("__MACOSX"))]
    except (*REFUSALS, OSError, LookupError, OverflowError):
        return []


def _read(file: BufferedReader, path: Path, size: int) -> bytes:
    """Read the first bytes of a file that may be on a damaged disk, or one of the system's."""
    try:
        return file.read(size) or b""  # None if a file of the system has nothing to read now
    except OSError as error:
        raise RowspaceError(f"{path}: cannot be read: {error.strerror}; check the disk") from error


@contextmanager
def _unpacked(file: BufferedReader, path: Path) -> Iterator[IO[bytes] | None]:
    """Open the content of a compressed file; None if the file is not compressed."""
    magic = _read(file, path, 4)
    file.seek(0)
    try:
        if magic.startswith(GZIP):
            with gzip.open(file) as stream:
                yield cast("IO[bytes]", stream)
        elif magic == ZIP:
            members = zip_members(file)
            if len(members) != 1 or members[0].compress_type not in METHODS:
                raise FileFormatError(f"{path}: a .zip of {len(members)} files; unpack it with unzip, and open one")
            with zipfile.ZipFile(file) as archive, archive.open(members[0]) as member:
                yield member
        else:
            yield None
    except (FileFormatError, RowspaceError):
        raise
    except (*REFUSALS, OSError, LookupError, OverflowError) as error:
        raise FileFormatError(f"{path}: cannot be unpacked ({reason_of(error)}); download it again") from None


def _copied(stream: IO[bytes], packed: BufferedReader, path: Path) -> NDArray[np.uint8]:
    """Unpack into an anonymous file, which is deleted once its bytes are no longer used."""
    limit = max(MIN_UNPACKED, MAX_RATIO * os.fstat(packed.fileno()).st_size)
    with tempfile.TemporaryFile() as file:
        while piece := stream.read(AT_ONCE):
            if file.tell() + len(piece) > limit:
                raise FileFormatError(
                    f"{path}: unpacks to more than {MAX_RATIO} times its size, which is implausible for vectors; "
                    "if you trust it, unpack it first"
                )
            try:
                file.write(piece)
                file.flush()
            except OSError as error:
                raise RowspaceError(
                    f"{path}: cannot be unpacked into {tempfile.gettempdir()}: {error.strerror}; unpack it first"
                ) from None
        return map_bytes(file)

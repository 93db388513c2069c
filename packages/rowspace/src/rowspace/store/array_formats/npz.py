"""A table as one .npz file: plain arrays, which numpy opens too, and never a pickle.

    rows      (V, d) floats, first in the file and uncompressed, so that they can be mapped
    tokens    UTF-8 of all tokens, each with a newline after it, uint8
    offsets   (V + 1) int64, where they begin
    counts    (V) int64, where known

`load` also accepts rows called `vectors` or `embeddings`, tokens as an array of text called `vocabulary`, `vocab` or
`words`, and compressed arrays. Before memory is taken, the size of each array is compared with its header, and with the
most that its compressed bytes can hold. Source: numpy's NEP 1, PKWARE's APPNOTE.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, reason_of
from rowspace.files.content import read_start
from rowspace.files.mapped import ArrayHeader, map_array, read_array_header
from rowspace.files.open_folder import open_regular
from rowspace.files.vocabulary import decode_vocabulary, encode_vocabulary
from rowspace.store.array_formats.npy import written_rows
from rowspace.store.words import check_rows, table_without_duplicates
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save"]

ROWS_NAMES = ("rows", "vectors", "embeddings")
TOKEN_NAMES = ("tokens", "vocabulary", "vocab", "words")
FLOATS = ("float16", "float32", "float64")
LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, lengths of name and extra field
LOCAL_SIGNATURE = b"PK\x03\x04"
ALIGNMENT = 64
ZIP64_FIELD = 20  # bytes that zipfile adds to the extra field
DEFLATE_MOST = 1032  # the most bytes that one byte of deflate can decompress to
READ_AT_ONCE = 1 << 20
MAX_POINT, SURROGATES = 0x10FFFF, (0xD800, 0xDFFF)
REFUSALS = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, RuntimeError, ValueError)


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the .npz file `path`, or its first `limit` rows; uncompressed rows are mapped if they are aligned.

    Raises `FileFormatError`, naming the array, where one is missing, damaged, or a pickle. Checksums are
    compared for arrays that are read, not for mapped ones. Of duplicated tokens, the first is kept, with a
    warning.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2), np.array([7, 5])), f"{folder}/pets.npz")
    ...     load(f"{folder}/pets.npz")["dog"].tolist()
    [0.0, 1.0]
    """
    source = str(path)
    with open_regular(Path(path)) as file, _translate_errors(source):
        archive = Archive(file, source)
        rows = archive.array(archive.name_of(ROWS_NAMES, "rows"), rank=2, kinds="f", limit=limit)
        tokens = _tokens(archive, limit)
        counts = archive.array("counts", rank=1, kinds="iu", limit=limit) if "counts" in archive.members else None
    if rows.dtype.name not in FLOATS or rows.shape[1] < 1:
        raise FileFormatError(f"{source}: rows are {rows.dtype} of shape {rows.shape}, expected (V, d) floats")
    sizes = {"rows": len(rows), "tokens": len(tokens)} | ({} if counts is None else {"counts": len(counts)})
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size:,} {name}" for name, size in sizes.items())
        raise FileFormatError(f"{source}: has {found}, expected the same number of each; restore the file")
    return table_without_duplicates(tokens, rows, source, counts)


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the file `path`, replacing an older one atomically; rows keep their dtype.

    Settings and tokenizer are not part of the format. Raises `UsageError` if a token is not Unicode text or
    `path` cannot be replaced, and `RowspaceError` if the system refuses (disk full, no permission).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.eye(1)), f"{folder}/pets.npz")
    ...     sorted(np.load(f"{folder}/pets.npz"))
    ['offsets', 'rows', 'tokens']
    """
    check_rows(table)
    run, offsets = encode_vocabulary(table.vocabulary)
    arrays = {"rows": table.rows, "tokens": np.frombuffer(run, np.uint8), "offsets": offsets}
    if table.counts is not None:
        arrays["counts"] = table.counts
    check_target(path)
    with atomic_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            room = file.tell() + LOCAL_HEADER.size + len(member.filename) + ZIP64_FIELD + 4
            padding = -room % ALIGNMENT  # the array begins at a multiple of 64, so that it can be mapped
            member.extra = struct.pack("<HH", 0xD935, padding) + bytes(padding)
            with archive.open(member, "w", force_zip64=True) as target:
                for piece in written_rows(array):
                    target.write(piece)


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins as a zip archive of .npy files does."""
    start = read_start(path)
    if len(start) < LOCAL_HEADER.size or not start.startswith(LOCAL_SIGNATURE):
        return False
    _, length, _ = LOCAL_HEADER.unpack_from(start)
    return start[LOCAL_HEADER.size :][:length].endswith(b".npy")


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=recognizes)


class Archive:
    """An open .npz file, whose arrays are checked one by one before they are read."""

    def __init__(self, file: BufferedReader, source: str) -> None:
        self._file, self.source = file, source
        self._size = file.seek(0, os.SEEK_END)
        self._zip = zipfile.ZipFile(file)
        self.members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}
        if len(self.members) < len(self._zip.infolist()):
            raise FileFormatError(f"{source}: an array is duplicated in it; restore the file")

    def name_of(self, names: tuple[str, ...], what: str) -> str:
        """Return the only one of `names` that is there."""
        found = [name for name in names if name in self.members]
        if len(found) == 1:
            return found[0]
        if found:
            raise FileFormatError(f"{self.source}: {join_names(found)} could all be the {what}; keep only one of them")
        raise FileFormatError(f"{self.source}: holds no {what}: expected an array called {' or '.join(names)}")

    def array(self, name: str, *, rank: int, kinds: str, limit: int | None = None) -> NDArray[Any]:
        """Return the array `name`, or its first `limit` rows; mapped if it is uncompressed and aligned."""
        info = self.members[name]
        source = f"{self.source}: array {name}"
        with self._zip.open(info) as stream:
            header = read_array_header(stream, source)
            _check_kind(header, rank, kinds, source)
            _check_size(info, header, self._size - info.header_offset, source)
            if info.compress_type == zipfile.ZIP_STORED and rank == 2:
                mapped = self._mapped(info, header)
                if mapped is not None:
                    return mapped[:limit]
            count = header.shape[0] if limit is None or header.is_fortran else min(limit, header.shape[0])
            array = np.empty((count, *header.shape[1:]), header.dtype, "F" if header.is_fortran else "C")
            _fill(array.reshape(-1, order="A").view(np.uint8), stream, source)
        return array[:limit].astype(header.dtype.newbyteorder("="), copy=False)

    def _mapped(self, info: zipfile.ZipInfo, header: ArrayHeader) -> NDArray[Any] | None:
        """Map an uncompressed array, if it is aligned and in this machine's byte order."""
        self._file.seek(info.header_offset)
        _, name_length, extra_length = LOCAL_HEADER.unpack(self._file.read(LOCAL_HEADER.size))
        offset = info.header_offset + LOCAL_HEADER.size + name_length + extra_length + header.offset
        is_usable = offset % header.dtype.itemsize == 0 and header.dtype.isnative and not header.is_fortran
        if not is_usable or not header.size or offset + header.size > self._size:
            return None
        return map_array(self._file, header.dtype, offset, header.shape)


def _tokens(archive: Archive, limit: int | None) -> list[str]:
    """Return the tokens, kept as one run and offsets or as an array of text."""
    name = archive.name_of(TOKEN_NAMES, "tokens")
    if "offsets" not in archive.members:
        return _checked(archive.array(name, rank=1, kinds="U", limit=limit), f"{archive.source}: array {name}")
    offsets = archive.array("offsets", rank=1, kinds="iu").astype(np.int64)
    run = archive.array(name, rank=1, kinds="u").astype(np.uint8, copy=False)
    if not len(offsets):
        raise FileFormatError(f"{archive.source}: array offsets is empty, expected one more than tokens; restore it")
    return decode_vocabulary(run.tobytes(), offsets, archive.source)[:limit]


def _checked(array: NDArray[Any], source: str) -> list[str]:
    """Return the tokens of an array of text; which may hold numbers that are not Unicode characters."""
    points = np.ascontiguousarray(array).view(np.uint32).reshape(len(array), array.dtype.itemsize // 4)
    is_half = (points >= SURROGATES[0]) & (points <= SURROGATES[1])
    wrong = np.flatnonzero((is_half | (points > MAX_POINT)).any(axis=1))
    if wrong.size:
        raise FileFormatError(f"{source}: token {wrong[0]} holds a number that is not a Unicode character; replace it")
    return [str(token) for token in array.tolist()]


def _check_kind(header: ArrayHeader, rank: int, kinds: str, source: str) -> None:
    if len(header.shape) != rank or header.dtype.kind not in kinds:
        raise FileFormatError(
            f"{source}: {header.dtype} of shape {header.shape}, expected {rank} dimensions and a kind of {kinds!r}; "
            "check what it holds"
        )


def _check_size(info: zipfile.ZipInfo, header: ArrayHeader, left: int, source: str) -> None:
    """Check an array's size against its header and its compressed bytes; `left` bytes are in the file."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise FileFormatError(f"{source}: compressed in a way that numpy does not use; save it again with numpy")
    most = info.compress_size * (1 if info.compress_type == zipfile.ZIP_STORED else DEFLATE_MOST)
    if header.offset + header.size != info.file_size or info.file_size > most or info.compress_size > left:
        raise FileFormatError(
            f"{source}: declares {header.size:,} bytes, which cannot fit in its {info.compress_size:,} compressed "
            "bytes; restore the file"
        )


def _fill(target: NDArray[np.uint8], stream: IO[bytes], source: str) -> None:
    """Read the bytes of an array."""
    for begin in range(0, target.size, READ_AT_ONCE):
        piece = stream.read(min(READ_AT_ONCE, target.size - begin))
        if len(piece) < min(READ_AT_ONCE, target.size - begin):
            raise FileFormatError(
                f"{source}: ends after {begin + len(piece):,} bytes of {target.size:,}; restore the file"
            )
        target[begin : begin + len(piece)] = np.frombuffer(piece, np.uint8)


@contextmanager
def _translate_errors(source: str) -> Iterator[None]:
    """Turn errors of `zipfile` into `FileFormatError`."""
    try:
        yield
    except FileFormatError:
        raise
    except (*REFUSALS, OSError, OverflowError, LookupError) as error:
        raise FileFormatError(
            f"{source}: not a complete .npz archive ({reason_of(error)}); restore the file from a copy"
        ) from None

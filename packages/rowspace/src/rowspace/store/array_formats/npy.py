"""Rows as a .npy file, with the vocabulary as text next to it: X.npy with X.vocab.txt, or with vocab.txt.

Rows in this machine's byte order are mapped. The format has no counts. Of duplicated tokens the first is kept, with a
warning. Two files cannot be replaced in one step: a process killed between the two renames leaves the new rows next to
the old vocabulary, which `load` notices only if their sizes differ; a folder has no such gap.
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.plural import plural
from rowspace.errors import FileFormatError
from rowspace.files.content import read_start
from rowspace.files.mapped import ArrayHeader, map_array, read_array_header
from rowspace.files.open_folder import open_regular
from rowspace.files.tensors import row_pieces
from rowspace.files.vocabulary import encode_lines, read_lines
from rowspace.store.words import check_rows, table_without_duplicates
from rowspace.table import Table

__all__ = ["check_target", "load", "recognizes", "save", "written_rows"]

MAGIC = b"\x93NUMPY"
FLOATS = ("float16", "float32", "float64")


def load(path: StrPath, *, limit: int | None = None) -> Table:
    """Open the .npy file `path`, (V, d) floats, with the vocabulary next to it; or its first `limit` rows.

    Raises `FileFormatError` if either is missing or damaged, or their sizes differ.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.npy")
    ...     load(f"{folder}/pets.npy")["dog"].tolist()
    [0.0, 1.0]
    """
    source = Path(path)
    with open_regular(source) as file:
        header = read_array_header(file, str(source))
        _check(header, file.seek(0, os.SEEK_END), str(source))
        rows = _mapped(source, header)
    vocabulary_path = _find_vocabulary(source)
    tokens = read_lines(vocabulary_path)
    if len(tokens) != len(rows):
        raise FileFormatError(
            f"{vocabulary_path}: has {plural(len(tokens), 'line')}, but {source} has {plural(len(rows), 'row')}; "
            "restore them"
        )
    return table_without_duplicates(tokens[:limit], rows[:limit], str(vocabulary_path))


def save(table: Table, path: StrPath) -> None:
    """Write the rows of `table` to `path` and its tokens next to it, to NAME.vocab.txt; rows keep their dtype.

    Counts, settings and tokenizer are not part of the format. Raises `UsageError` where a token holds a
    newline or ends in a carriage return, or where `path` cannot be replaced, and `RowspaceError` if the
    system refuses (disk full, no permission).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.eye(1)), f"{folder}/pets.npy")
    ...     sorted(os.listdir(folder)), np.load(f"{folder}/pets.npy").tolist()
    (['pets.npy', 'pets.vocab.txt'], [[1.0]])
    """
    check_rows(table)
    lines = encode_lines(list(table.vocabulary), forbidden="\n", format="npy")
    check_target(path)
    with atomic_file(Path(path).with_suffix(".vocab.txt")) as vocabulary, atomic_file(path) as file:
        vocabulary.write(lines)
        for piece in written_rows(table.rows):
            file.write(piece)


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins as .npy files do."""
    return read_start(path).startswith(MAGIC)


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_file_target(path, is_same_kind=recognizes)
    check_file_target(Path(path).with_suffix(".vocab.txt"))


def written_rows(rows: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """Yield the .npy file of an array, header first, little-endian and in C order, piece by piece."""
    header, descr = io.BytesIO(), npy_format.dtype_to_descr(rows.dtype.newbyteorder("<"))
    fields = {"descr": descr, "fortran_order": False, "shape": rows.shape}
    npy_format.write_array_header_1_0(header, fields)
    yield header.getvalue()
    yield from row_pieces(rows)


def _check(header: ArrayHeader, total: int, source: str) -> None:
    """Check that the array holds rows and is complete."""
    if len(header.shape) != 2 or header.dtype.name not in FLOATS or header.shape[1] < 1:
        raise FileFormatError(
            f"{source}: byte 10: {header.dtype} of shape {header.shape}, expected (V, d) floats of 16, 32 or 64 "
            "bits; check what it holds"
        )
    if header.offset + header.size != total:
        raise FileFormatError(
            f"{source}: byte {header.offset}: {header.size:,} bytes of rows are declared, but {total - header.offset:,}"
            " follow; restore the file"
        )


def _mapped(path: Path, header: ArrayHeader) -> NDArray[np.floating[Any]]:
    shape = header.shape[::-1] if header.is_fortran else header.shape
    with open_regular(path) as file:
        rows = map_array(file, header.dtype, header.offset, shape)
    return (rows.T if header.is_fortran else rows).astype(header.dtype.newbyteorder("="), copy=False)


def _find_vocabulary(path: Path) -> Path:
    """Return the vocabulary's path."""
    own, shared = path.with_suffix(".vocab.txt"), path.with_name("vocab.txt")
    for candidate in (own, shared):
        if candidate.exists():
            return candidate
    raise FileFormatError(
        f"{path}: rows without tokens: expected {own.name} or {shared.name} next to it, one token a line"
    )

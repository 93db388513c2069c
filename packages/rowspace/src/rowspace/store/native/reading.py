"""Reading a native folder: everything is checked before it is used, and rows are mapped, not read.

The size of each file is compared with rowspace.json, and each header with its file and with rowspace.json, before
memory is allocated.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from io import BufferedReader
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import index_of
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.mapped import map_array, map_bytes
from rowspace.files.open_folder import Folder
from rowspace.files.safetensors_header import Tensor, read_header
from rowspace.files.tensors import DTYPES
from rowspace.files.transformers_folder import MODEL, TOKENIZER
from rowspace.files.vocabulary import StoredVocabulary
from rowspace.store.native.manifest import (
    FILES,
    MARKER,
    MAX_SIZE,
    OPTIONAL,
    OUTPUTS,
    SUBWORDS,
    VOCABULARY,
    FileRecord,
    Manifest,
)
from rowspace.store.native.subwords import map_subwords
from rowspace.store.words import check_counts
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

__all__ = ["manifest_of", "table_of"]


def table_of(folder: Folder, *, verify: bool) -> Table:
    """Build the table in an open `folder`; raises `FileFormatError` as `native.load` says."""
    manifest = manifest_of(folder)
    optional = [name for name in OPTIONAL if name in manifest.files]
    for name in (*FILES, *optional):
        _check_file(folder, name, manifest.files.get(name), verify=verify)
    vocabulary, counts = _map_vocabulary(folder, manifest.num_embeddings)
    check_counts(counts, str(folder.path / VOCABULARY))
    rows = _map_rows(folder, manifest, MODEL, "embeddings", unknown_rows=manifest.unknown_rows)
    tokenizer = _text_later(folder, TOKENIZER) if manifest.own_tokenizer else None
    if verify:
        _check_tokens(vocabulary, str(folder.path / VOCABULARY))
    return Table(
        vocabulary,
        rows,
        counts,
        tokenizer=tokenizer,
        settings=manifest.settings,
        subwords=_map_subwords(folder, rows) if SUBWORDS in optional else None,
        outputs=_map_rows(folder, manifest, OUTPUTS, "outputs") if OUTPUTS in optional else None,
    )


def manifest_of(folder: Folder) -> Manifest:
    """Read and check rowspace.json in an open `folder`."""
    source = str(folder.path / MARKER)
    with folder.open(MARKER) as file:
        data = file.read(min(os.fstat(file.fileno()).st_size, MAX_SIZE) + 1)  # `read` allocates the requested size
    if len(data) > MAX_SIZE:
        raise FileFormatError(f"{source}: larger than the {MAX_SIZE:,} bytes that are allowed; restore it")
    return Manifest.from_bytes(data, source)


def _check_file(folder: Folder, name: str, record: FileRecord | None, *, verify: bool) -> None:
    source = folder.path / name
    if record is None:
        raise FileFormatError(f"{folder.path / MARKER}: does not list {name}; restore it")
    with folder.open(name) as file:
        size = file.seek(0, os.SEEK_END)
        if size != record.size:
            raise FileFormatError(f"{source}: has {size:,} bytes, but {record.size:,} were saved; restore the file")
        file.seek(0)
        if verify and hashlib.file_digest(file, "sha256").hexdigest() != record.sha256:
            raise FileFormatError(f"{source}: damaged (its SHA-256 is not the saved one); restore the file")


def _map_vocabulary(folder: Folder, size: int) -> tuple[StoredVocabulary, NDArray[np.int64] | None]:
    """Map the V = `size` tokens, and their counts where the file has them."""
    source = str(folder.path / VOCABULARY)
    with folder.open(VOCABULARY) as file:
        tensors = read_header(file, source)
        expected: dict[str, tuple[str, tuple[int, ...] | None]] = {
            "offsets": ("I64", (size + 1,)),
            "counts": ("I64", (size,)),
            "tokens": ("U8", None),
        }
        if "counts" not in tensors:
            del expected["counts"]
        _check_tensors(tensors, expected, source)
        content = {name: _map(file, tensors[name]) for name in expected}
    run, offsets = content["tokens"], content["offsets"].view("<i8")
    if offsets[0] != 0 or offsets[-1] != len(run):
        raise FileFormatError(f"{source}: token offsets do not increase from 0 to {len(run):,}; restore the file")
    counts = content["counts"].view("<i8") if "counts" in content else None
    return StoredVocabulary(run, offsets, source), counts


def _check_tokens(vocabulary: StoredVocabulary, source: str) -> None:
    """Decode all tokens, and check that none is duplicated."""
    try:
        index_of(list(vocabulary))
    except UsageError as error:
        raise FileFormatError(f"{source}: {error}; restore the file") from None


def _map_rows(
    folder: Folder, manifest: Manifest, file_name: str, tensor: str, *, unknown_rows: int = 0
) -> NDArray[np.floating[Any]]:
    """Map the V rows of a tensor, (V, d), read-only; the rows of zeros after them belong to no token."""
    source = str(folder.path / file_name)
    if manifest.dtype not in DTYPES:
        raise FileFormatError(f"{folder.path / MARKER}: rows of unknown dtype {manifest.dtype!r}; restore it")
    name, little_endian = DTYPES[manifest.dtype]
    shape = (manifest.num_embeddings + unknown_rows, manifest.embedding_dim)
    with folder.open(file_name) as file:
        tensors = read_header(file, source)
        _check_tensors(tensors, {tensor: (name, shape)}, source)
        rows = map_array(file, little_endian, tensors[tensor].offset, shape)
    return rows[: manifest.num_embeddings]


def _map_subwords(folder: Folder, rows: NDArray[np.floating[Any]]) -> Subwords:
    with folder.open(SUBWORDS) as file:
        return map_subwords(file, str(folder.path / SUBWORDS), (len(rows), rows.shape[1]))


def _check_tensors(
    tensors: Mapping[str, Tensor], expected: Mapping[str, tuple[str, tuple[int, ...] | None]], source: str
) -> None:
    """Check that these tensors and no others are there, of the dtype and, where one is given, the shape."""
    if set(tensors) != set(expected):
        raise FileFormatError(f"{source}: holds {sorted(tensors)}, expected {sorted(expected)}; restore the file")
    for name, (dtype, shape) in expected.items():
        tensor = tensors[name]
        rank = 1 if shape is None else len(shape)
        if tensor.dtype != dtype or len(tensor.shape) != rank or shape not in (None, tensor.shape):
            raise FileFormatError(
                f"{source}: tensor {name!r} is {tensor.dtype} of shape {tensor.shape}, but {dtype} of shape "
                f"{shape} was saved; restore the file"
            )


def _map(file: BufferedReader, tensor: Tensor) -> NDArray[np.uint8]:
    return map_array(file, np.uint8, tensor.offset, (tensor.size,))


def _text_later(folder: Folder, name: str) -> Callable[[], str]:
    """Map a file of text now, so that a later save does not change it; decode it when the function is called."""
    source = folder.path / name
    with folder.open(name) as file:
        content = map_bytes(file)

    def text() -> str:
        try:
            return content.tobytes().decode()
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{source}: byte {error.start}: not valid UTF-8; restore the file") from None

    return text

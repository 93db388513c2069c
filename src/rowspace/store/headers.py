"""The header of a safetensors file, written and checked by our own rules before anything is mapped.

The file is 8 bytes (the length N of the header, little-endian), N bytes of JSON, then the tensors' bytes.
Checked: N against a cap of 100 MB and against the file, JSON, keys that stand twice, names of dtypes,
shapes against bytes, and that the tensors fill the rest of the file without a hole or an overlap. Source:
https://huggingface.co/docs/safetensors (format). Left out: the tensors' values. Read next: `native.py`.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from rowspace.errors import FileFormatError
from rowspace.store.documents import is_count, parse_object

__all__ = ["Tensor", "header_bytes", "read_header"]

MAX_HEADER = 100_000_000
ALIGNMENT = 64  # the first tensor begins at a multiple of a cache line, so that mapped rows do too
ITEM_SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2,
    "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """Where one tensor lies: safetensors' name of its dtype, shape, first byte in the file, bytes."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


def read_header(file: BinaryIO, source: str) -> dict[str, Tensor]:
    """Read and check the header at the start of `file`; `source` names the file in errors.

    Returns the tensors by name. Raises `FileFormatError` with the byte offset or the tensor that is wrong.

    >>> import io
    >>> content = header_bytes({"a": ("U8", (3,))}) + b"xyz"
    >>> read_header(io.BytesIO(content), "x")
    {'a': Tensor(dtype='U8', shape=(3,), offset=64, size=3)}
    >>> read_header(io.BytesIO(content[:-1]), "x")
    Traceback (most recent call last):
    rowspace.errors.FileFormatError: x: ends at byte 66, but its tensors end at byte 67; restore it
    """
    total = file.seek(0, os.SEEK_END)
    file.seek(0)
    if total < 8:
        raise FileFormatError(f"{source}: ends at byte {total}, within its 8-byte header length; restore the file")
    length = int.from_bytes(file.read(8), "little")
    if length > min(MAX_HEADER, total - 8):
        limit = f"the cap is {MAX_HEADER}" if length > MAX_HEADER else f"the file has {total - 8} after it"
        raise FileFormatError(f"{source}: byte 0: header of {length} bytes, but {limit}; restore the file")
    document = parse_object(file.read(length), source, offset=8)
    _check_metadata(document.pop("__metadata__", {}), source)
    tensors = {name: _tensor(name, entry, 8 + length, source) for name, entry in document.items()}
    _check_layout(tensors, 8 + length, total, source)
    return tensors


def header_bytes(tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """Build the header for tensors, given as name to (dtype, shape), whose bytes will follow in this order.

    Blanks pad it so that the first tensor begins at a multiple of 64 bytes.

    >>> len(header_bytes({"embeddings": ("F32", (1000, 300))}))
    128
    """
    document, offset = {}, 0
    for name, (dtype, shape) in tensors.items():
        end = offset + ITEM_SIZES[dtype] * math.prod(shape)
        document[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def _check_metadata(metadata: object, source: str) -> None:
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise FileFormatError(f"{source}: __metadata__ must hold text only; restore the file")


def _tensor(name: str, entry: object, start: int, source: str) -> Tensor:
    """Check one entry by itself; offsets in the header count from `start`, the end of the header."""

    def wrong(what: str) -> FileFormatError:
        return FileFormatError(f"{source}: tensor {name!r}: {what}; the file is damaged, restore it from a copy")

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise wrong("its header entry must hold dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in ITEM_SIZES:
        raise wrong(f"unknown dtype {dtype!r}")
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        raise wrong(f"shape {shape!r} is no list of sizes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_count, offsets)):
        raise wrong(f"data_offsets {offsets!r} are not two places in the file")
    begin, end = offsets
    if end - begin != ITEM_SIZES[dtype] * math.prod(shape):
        raise wrong(f"{dtype} of shape {shape} does not fill the bytes {begin} to {end}")
    return Tensor(dtype, tuple(shape), start + begin, end - begin)


def _check_layout(tensors: Mapping[str, Tensor], start: int, total: int, source: str) -> None:
    """Check that the tensors follow one another without a gap from `start` to the end of the file."""
    end = start
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].offset, item[1].size)):
        if tensor.offset != end:
            what = "a hole lies before it" if tensor.offset > end else "it overlaps the one before"
            raise FileFormatError(
                f"{source}: tensor {name!r} begins at byte {tensor.offset} instead of {end}: {what}; restore the file"
            )
        end += tensor.size
    if end != total:
        raise FileFormatError(f"{source}: ends at byte {total}, but its tensors end at byte {end}; restore it")

"""The header of a safetensors file, written, or checked before anything is mapped.

The file is 8 bytes (the length N of the header, little-endian), N bytes of JSON, then the tensors' bytes. Checked are N
against a cap of 100 MB and against the file, the JSON, duplicate keys, names of dtypes, shapes against bytes, and that
the tensors fill the rest of the file without a gap or an overlap. Source: https://huggingface.co/docs/safetensors.
"""

import json
import math
import os
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

from rowspace.errors import FileFormatError
from rowspace.files.strict_json import is_count, parse_object

__all__ = ["Tensor", "header_bytes", "header_names", "read_header"]

MAX_HEADER = 100_000_000
MAX_PARTS = 1_000_000  # brackets and commas, of which a tensor takes about eight
ENTRY = {"dtype", "shape", "data_offsets"}
ALIGNMENT = 64  # the first tensor begins at a multiple of a cache line, so that mapped rows do too
BITS = {
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "BOOL": 8, "U8": 8, "I8": 8,
    "F8_E4M3": 8, "F8_E4M3FNUZ": 8, "F8_E5M2": 8, "F8_E5M2FNUZ": 8, "F8_E8M0": 8,
    "U16": 16, "I16": 16, "F16": 16, "BF16": 16, "U32": 32, "I32": 32, "F32": 32,
    "U64": 64, "I64": 64, "F64": 64, "C64": 64,
}  # fmt: skip


class Tensor(NamedTuple):
    """One tensor: safetensors' name of its dtype, shape, first byte in the file, number of bytes."""

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
    text, total = _header_text(file, source)
    document = parse_object(text, source, offset=8)
    _check_metadata(document.pop("__metadata__", {}), source)
    start = 8 + len(text)
    tensors = {name: _tensor(name, entry, start, source) for name, entry in document.items()}
    _check_layout(tensors, start, total, source)
    return tensors


def header_names(file: BinaryIO, name: str, source: str) -> bool:
    """Whether the header seems to hold the tensor `name`; a header of many tensors is not parsed for the answer."""
    return json.dumps(name).encode() in _header_text(file, source)[0]


def header_bytes(tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """Build the header for tensors, given as name to (dtype, shape), whose bytes will follow in this order.

    Blanks pad it so that the first tensor begins at a multiple of 64 bytes.

    >>> len(header_bytes({"embeddings": ("F32", (1000, 300))}))
    128
    """
    document, offset = {}, 0
    for name, (dtype, shape) in tensors.items():
        end = offset + BITS[dtype] * math.prod(shape) // 8
        document[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


def _header_text(file: BinaryIO, source: str) -> tuple[bytes, int]:
    """Return the JSON of the header and the size of the file, once the one fits into the other."""
    total = file.seek(0, os.SEEK_END)
    file.seek(0)
    if total < 8:
        raise FileFormatError(f"{source}: ends at byte {total}, within its 8-byte header length; restore the file")
    length = int.from_bytes(file.read(8), "little")
    if length > min(MAX_HEADER, total - 8):
        limit = f"the cap is {MAX_HEADER:,}" if length > MAX_HEADER else f"the file has {total - 8:,} after it"
        raise FileFormatError(f"{source}: byte 0: header of {length:,} bytes, but {limit}; restore the file")
    text = file.read(length)
    parts = sum(map(text.count, (b"[", b"{", b",")))  # each takes memory once it is parsed, many times its bytes
    if parts > MAX_PARTS:
        raise FileFormatError(
            f"{source}: byte 8: a header of {parts:,} JSON values, for more than 100,000 tensors, which is more "
            "than any model has; restore the file"
        )
    return text, total


def _check_metadata(metadata: object, source: str) -> None:
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise FileFormatError(f"{source}: __metadata__ must hold text only; restore the file")


def _tensor(name: str, entry: object, start: int, source: str) -> Tensor:
    """Check one entry by itself; offsets in the header count from `start`, the end of the header."""
    if not isinstance(entry, dict) or entry.keys() != ENTRY:
        raise _wrong(name, "its header entry must hold dtype, shape and data_offsets", source)
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in BITS:
        raise _wrong(name, f"unknown dtype {dtype!r:.80}", source)
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        raise _wrong(name, f"shape {shape!r:.80} is not a list of sizes", source)
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_count, offsets)):
        raise _wrong(name, f"data_offsets {offsets!r:.80} are not two offsets in the file", source)
    begin, end = offsets
    if 8 * (end - begin) != BITS[dtype] * math.prod(shape):
        raise _wrong(name, f"{dtype} of shape {shape!r:.80} does not fill the bytes {begin} to {end}", source)
    return Tensor(dtype, tuple(shape), start + begin, end - begin)


def _wrong(name: str, what: str, source: str) -> FileFormatError:
    return FileFormatError(f"{source}: tensor {name!r:.80}: {what}; the file is damaged, restore it from a copy")


def _check_layout(tensors: Mapping[str, Tensor], start: int, total: int, source: str) -> None:
    """Check that the tensors follow one another without a gap from `start` to the end of the file."""
    end = start
    in_order = sorted(tensors.items(), key=lambda item: item[1][2:])  # by offset, then size
    for name, tensor in in_order:
        if tensor.offset != end:
            what = "there is a gap before it" if tensor.offset > end else "it overlaps the one before"
            raise FileFormatError(
                f"{source}: tensor {name!r} begins at byte {tensor.offset} instead of {end}: {what}; restore the file"
            )
        end += tensor.size
    if end != total:
        raise FileFormatError(f"{source}: ends at byte {total}, but its tensors end at byte {end}; restore it")

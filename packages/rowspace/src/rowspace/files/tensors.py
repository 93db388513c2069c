"""Tensors of safetensors files: mapped as arrays, or written piece by piece.

A header is checked by our own rules before anything is mapped. float16, float32 and float64 are mapped; bfloat16 and
8-bit floats, which numpy lacks, and int8 become float32, exactly, in memory.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, RowspaceError, reason_of
from rowspace.files.mapped import map_array
from rowspace.files.open_folder import open_regular
from rowspace.files.safetensors_header import Tensor, header_bytes, header_names, read_header

__all__ = [
    "DTYPES",
    "EIGHT_BITS",
    "FLOATS",
    "Tensors",
    "can_be_rows",
    "e4m3",
    "e5m2",
    "holds_tensor",
    "map_tensor",
    "read_checked",
    "read_tensors",
    "row_pieces",
    "tensor_pieces",
]


def e4m3() -> NDArray[np.float32]:
    """Return the number of each byte of E4M3, (256,): 4 bits of exponent, 3 of mantissa, and no infinity.

    Source: Micikevicius et al. 2022, "FP8 Formats for Deep Learning".

    >>> e4m3()[[0x01, 0x38, 0x7E, 0xB8]].tolist()
    [0.001953125, 1.0, 448.0, -1.0]
    """
    byte = np.arange(256)
    exponent, mantissa = byte >> 3 & 15, (byte & 7) / 8
    value = np.where(exponent == 0, mantissa * 2.0**-6, (1 + mantissa) * 2.0 ** (exponent - 7))
    value[(byte & 0x7F) == 0x7F] = np.nan  # all bits but the sign
    return np.where(byte & 0x80, -value, value).astype(np.float32)


def e5m2() -> NDArray[np.float32]:
    """Return the number of each byte of E5M2, (256,): the upper half of a float16.

    >>> e5m2()[[0x3C, 0xC0, 0x7C]].tolist()
    [1.0, -2.0, inf]
    """
    return (np.arange(256).astype(np.uint16) << np.uint16(8)).view(np.float16).astype(np.float32)


EIGHT_BITS = {"F8_E4M3": e4m3, "F8_E5M2": e5m2}


# numpy's name: safetensors' name, and numpy's code of the little-endian form that files hold
DTYPES = {"float16": ("F16", "<f2"), "float32": ("F32", "<f4"), "float64": ("F64", "<f8")}
MAPPED = dict(DTYPES.values())
OTHERS = {"BF16": "<u2", "I8": "i1", "I32": "<i4", "I64": "<i8", "F8_E4M3": "u1", "F8_E5M2": "u1"}
FLOATS = (*MAPPED, "BF16")  # which are rows as they stand
MAX_LENGTH = 1 << 40  # more or wider rows than any file has, for which numpy would fail with another error
WRITTEN_AT_ONCE = 1 << 23  # bytes


class Tensors(dict[str, Tensor]):
    """The tensors of one file by name, and the identity of the file, so that its header is parsed only once."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        super().__init__(read_header(file, source))
        self._identity = _identity(file)

    def are_of(self, file: BinaryIO) -> bool:
        """Whether the open `file` is the one that they were read from."""
        return self._identity == _identity(file)


def _identity(file: BinaryIO) -> tuple[int, int, int, int]:
    found = os.fstat(file.fileno())
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def read_tensors(path: Path) -> Tensors:
    """Return the tensors of the safetensors file `path`, by name, its header checked."""
    with open_regular(path) as file:
        return Tensors(file, str(path))


def holds_tensor(path: Path, name: str) -> bool:
    """Whether `path` is a safetensors file with the tensor `name`; never raises."""
    try:
        if not path.is_file():
            return False
        with open_regular(path) as file:
            return header_names(file, name, str(path)) and name in read_header(file, str(path))
    except RowspaceError:
        return False


def can_be_rows(tensor: Tensor) -> bool:
    """Whether a table can have this tensor as its rows: (V, d) numbers, none of them ids."""
    return len(tensor.shape) == 2 and tensor.dtype in {*FLOATS, "I8", *EIGHT_BITS}


def map_tensor(path: Path, name: str, *, limit: int | None = None, known: Tensors | None = None) -> NDArray[Any]:
    """Return a tensor, or the first `limit` of its rows: mapped, or if necessary as float32 in memory.

    8-bit numbers are returned as they stand; `scaled_rows.map_rows` applies their scales.
    `known` are the file's tensors if they were read before, to avoid parsing its header again.
    Raises `FileFormatError` if the file is damaged, has no such tensor, or one whose dtype cannot be rows.
    """
    with open_regular(path) as file:
        tensors = known if known is not None and known.are_of(file) else read_header(file, str(path))
        if name not in tensors:
            raise FileFormatError(f"{path}: holds no tensor {name!r}, but {join_names(tensors)}")
        tensor = tensors[name]
        code = (MAPPED | OTHERS).get(tensor.dtype)
        if code is None or not 1 <= len(tensor.shape) <= 2 or max(tensor.shape) > MAX_LENGTH:
            raise FileFormatError(
                f"{path}: tensor {name!r} is {tensor.dtype} of shape {tensor.shape}, which cannot be rows; "
                "expected (V, d) floats"
            )
        array = map_array(file, code, tensor.offset, tensor.shape)[:limit]
    if tensor.dtype in EIGHT_BITS:
        return np.asarray(EIGHT_BITS[tensor.dtype]()[array])
    if tensor.dtype == "BF16":
        return (array.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return array.astype(np.float32) if tensor.dtype == "I8" else array


def read_checked(path: Path, checksum: object, *, remedy: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file that we have written; raises `FileFormatError` if its checksum differs."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        data = path.read_bytes()
        if zlib.crc32(data) != checksum:
            raise FileFormatError(f"{path}: is damaged (its checksum differs); {remedy}")
        return dict(load(data))
    except FileFormatError:
        raise
    except (SafetensorError, OSError, ValueError) as error:
        raise FileFormatError(f"{path}: cannot be read ({reason_of(error)}); {remedy}") from None


def tensor_pieces(
    name: str, rows: NDArray[Any], unknown_rows: int, *, at_once: int = WRITTEN_AT_ONCE
) -> Iterator[bytes | memoryview]:
    """Yield a safetensors file of one tensor, about `at_once` bytes a piece: rows, then zeros for ids without one."""
    yield header_bytes({name: (DTYPES[rows.dtype.name][0], (len(rows) + unknown_rows, rows.shape[1]))})
    yield from row_pieces(rows, at_once=at_once)
    yield bytes(rows.shape[1] * rows.itemsize * unknown_rows)


def row_pieces(rows: NDArray[Any], *, at_once: int = WRITTEN_AT_ONCE) -> Iterator[memoryview]:
    """Yield the bytes of rows, little-endian, about `at_once` bytes at a time."""
    step = max(1, at_once // max(1, rows[:1].nbytes))
    for begin in range(0, len(rows), step):
        yield np.ascontiguousarray(rows[begin : begin + step], rows.dtype.newbyteorder("<")).view(np.uint8).data

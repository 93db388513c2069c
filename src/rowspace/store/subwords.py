"""subwords.safetensors of a native directory: rows of n-grams and of words without them, mapped.

Tensors: `own` (V, d), `rows` (B, d), `places` (buckets,) and `sizes`, the least and the most characters. Left out: what
they mean (`rowspace.subwords`). Read next: `native.py`.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.headers import Tensor, header_bytes, read_header
from rowspace.store.layout import DTYPES
from rowspace.store.tensors import row_pieces
from rowspace.subwords import Subwords

__all__ = ["map_subwords", "subword_pieces"]

FLOATS = dict(DTYPES.values())


def subword_pieces(subwords: Subwords) -> Iterator[bytes | memoryview]:
    """Yield the file piece by piece; raises `UsageError` for rows of a dtype that it cannot hold."""
    matrices = {"own": subwords.own, "rows": subwords.rows}
    places, sizes = subwords.places.astype("<i4"), np.array([subwords.min_n, subwords.max_n], "<i4")
    tensors: dict[str, tuple[str, tuple[int, ...]]] = {"places": ("I32", places.shape), "sizes": ("I32", (2,))}
    for name, rows in matrices.items():
        if rows.dtype.name not in DTYPES:
            raise UsageError(f"rows of {rows.dtype} cannot be saved; convert them to float32")
        tensors[name] = (DTYPES[rows.dtype.name][0], rows.shape)
    yield header_bytes({name: tensors[name] for name in ("own", "rows", "places", "sizes")})
    for rows in matrices.values():
        yield from row_pieces(rows)
    yield places.data
    yield sizes.data


def map_subwords(file: BinaryIO, source: str, shape: tuple[int, int]) -> Subwords:
    """Map what `subword_pieces` wrote for a table of this (V, d); raises `FileFormatError` on anything else."""
    tensors = read_header(file, source)
    kinds = {name: (tensor.dtype in FLOATS, len(tensor.shape)) for name, tensor in tensors.items()}
    if kinds != {"own": (True, 2), "rows": (True, 2), "places": (False, 1), "sizes": (False, 1)} or (
        tensors["own"].shape != shape
        or tensors["rows"].shape[1] != shape[1]
        or {tensors["places"].dtype, tensors["sizes"].dtype} != {"I32"}
        or tensors["sizes"].shape != (2,)
    ):
        raise FileFormatError(f"{source}: does not hold the n-grams of a table of shape {shape}; restore the file")
    own, rows, places, sizes = (_map(file, tensors[name]) for name in ("own", "rows", "places", "sizes"))
    try:
        return Subwords(rows, own, places, *sizes.tolist())
    except UsageError as error:
        raise FileFormatError(f"{source}: {error}; restore the file") from None


def _map(file: BinaryIO, tensor: Tensor) -> NDArray[Any]:
    code = FLOATS.get(tensor.dtype, "<i4")
    if tensor.size == 0:  # which cannot be mapped
        return np.zeros(tensor.shape, code)
    return np.memmap(file, code, "r", tensor.offset, tensor.shape)

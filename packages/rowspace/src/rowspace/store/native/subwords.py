"""subwords.safetensors of a native folder: rows of n-grams, and rows of words without them, mapped.

Tensors: `own` (V, d), `rows` (B, d), `places` (buckets,) and `sizes`, the least and the most characters. Where most
buckets were pruned, `places` (n,) are those of `buckets` (n,), and `sizes` ends in the number of buckets.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.mapped import map_array
from rowspace.files.safetensors_header import Tensor, header_bytes, read_header
from rowspace.files.tensors import DTYPES, row_pieces
from rowspace.subwords.hashing import SparsePlaces, Subwords

__all__ = ["map_subwords", "subword_pieces"]

FLOATS = dict(DTYPES.values())


def subword_pieces(subwords: Subwords) -> Iterator[bytes | memoryview]:
    """Yield the file piece by piece; raises `UsageError` for rows of a dtype that it cannot hold."""
    matrices, integers = {"own": subwords.own, "rows": subwords.rows}, _integers(subwords)
    tensors: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, rows in matrices.items():
        if rows.dtype.name not in DTYPES:
            raise UsageError(f"rows of {rows.dtype} cannot be saved; convert them to float32")
        tensors[name] = (DTYPES[rows.dtype.name][0], rows.shape)
    yield header_bytes(tensors | {name: ("I32", array.shape) for name, array in integers.items()})
    for rows in matrices.values():
        yield from row_pieces(rows)
    yield from (array.data for array in integers.values())


def _integers(subwords: Subwords) -> dict[str, NDArray[np.int32]]:
    places, sizes = subwords.places, [subwords.min_n, subwords.max_n]
    if not isinstance(places, SparsePlaces):
        return {"places": places.astype("<i4"), "sizes": np.array(sizes, "<i4")}
    kept = {"places": places.places.astype("<i4"), "buckets": places.buckets.astype("<i4")}
    return kept | {"sizes": np.array([*sizes, places.size], "<i4")}


def map_subwords(file: BinaryIO, source: str, shape: tuple[int, int]) -> Subwords:
    """Map what `subword_pieces` wrote for a table of this (V, d); raises `FileFormatError` on anything else."""
    tensors = read_header(file, source)
    is_sparse = "buckets" in tensors
    ranks = {name: (tensor.dtype in FLOATS, len(tensor.shape)) for name, tensor in tensors.items()}
    expected = {"own": (True, 2), "rows": (True, 2), "places": (False, 1), "sizes": (False, 1)}
    if ranks != expected | ({"buckets": (False, 1)} if is_sparse else {}) or (
        tensors["own"].shape != shape
        or tensors["rows"].shape[1] != shape[1]
        or {tensors[name].dtype for name, (is_float, _) in ranks.items() if not is_float} != {"I32"}
        or tensors["sizes"].shape != (3 if is_sparse else 2,)
    ):
        raise FileFormatError(f"{source}: does not hold the n-grams of a table of shape {shape}; restore the file")
    own, rows, places, sizes = (_map(file, tensors[name]) for name in ("own", "rows", "places", "sizes"))
    try:
        kept = SparsePlaces(_map(file, tensors["buckets"]), places, int(sizes[2])) if is_sparse else places
        return Subwords(rows, own, kept, *sizes[:2].tolist())
    except UsageError as error:
        raise FileFormatError(f"{source}: {error}; restore the file") from None


def _map(file: BinaryIO, tensor: Tensor) -> NDArray[Any]:
    return map_array(file, FLOATS.get(tensor.dtype, "<i4"), tensor.offset, tensor.shape)

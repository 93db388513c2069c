"""Product quantization of fastText's .ftz files: rows as codes, decoded to float32.

A row is cut into parts of `width` columns, of which the last may be narrower; each part is the code of one of 256
centroids of that part. Where rows were normalized before, each row has a code of its length too. Source: Jégou et al.
2011; fastText 0.9, `QuantMatrix`, `ProductQuantizer`.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace.files.mapped import BinaryReader

__all__ = ["read_quantized"]

CENTROIDS = 256


def read_quantized(reader: BinaryReader) -> NDArray[np.float32]:
    """Read a quantized matrix at the reader's place: (m, d) float32, with fastText's bits."""
    has_lengths = reader.flag("whether lengths are quantized")
    size, dim = reader.sizes("the sizes of a quantized matrix")
    num_codes = int(reader.numbers("<i4", 1, "the size of its codes")[0])
    parts = num_codes // size if size else 0
    if num_codes != parts * size or not 0 <= parts <= dim:
        raise reader.error(f"{num_codes:,} codes for {size:,} rows of {dim:,} columns", 4)
    codes = reader.matrix("u1", size, parts, "its codes")
    rows = _decoded(codes, _centroids(reader, dim, parts if size else None), dim)
    if has_lengths:
        lengths = reader.numbers("u1", size, "the codes of lengths")
        rows *= _centroids(reader, 1, 1)[0][lengths]
    return rows


def _centroids(reader: BinaryReader, dim: int, parts: int | None) -> list[NDArray[np.float32]]:
    """Read the centroids of each part: (256, width)."""
    found, counted, width, last = reader.numbers("<i4", 4, "the sizes of centroids").tolist()
    right = found == dim and min(counted, width, last) > 0 and (counted - 1) * width + last == dim and last <= width
    if not right or parts not in (None, counted):
        raise reader.error(
            f"{counted:,} parts of {width:,} columns, the last of {last:,}, do not make rows of {dim:,}", 16
        )
    widths = [width] * (counted - 1) + [last]
    return [reader.matrix("<f4", CENTROIDS, columns, "its centroids") for columns in widths]


def _decoded(codes: NDArray[np.uint8], centroids: list[NDArray[np.float32]], dim: int) -> NDArray[np.float32]:
    rows = np.empty((len(codes), dim), np.float32)
    column = 0
    for part, known in enumerate(centroids if len(codes) else []):
        rows[:, column : column + known.shape[1]] = known[codes[:, part]]
        column += known.shape[1]
    return rows

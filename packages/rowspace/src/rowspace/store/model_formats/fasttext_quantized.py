"""Product quantization of fastText's .ftz files: rows ↔ codes, decoded to float32.

A row is cut into parts of `width` columns, of which the last may be narrower; each part is the code of one of 256
centroids of that part. Where rows were normalized before, each row has a code of its length too. Source: Jégou et al.
2011; fastText 0.9, `QuantMatrix`, `ProductQuantizer`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.files.mapped import BinaryReader

__all__ = ["quantize", "read_quantized", "write_quantized"]

CENTROIDS = 256
WIDTH = 2  # columns of a part that is written
SAMPLE, STEPS = 1 << 15, 25  # rows that centroids are learned from, and steps of k-means


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


def quantize(rows: NDArray[np.float32]) -> tuple[NDArray[np.uint8], list[NDArray[np.float32]]]:
    """Return the codes of (m, d) rows, (m, parts), and the centroids of each part, of which the first is zero."""
    from sklearn.cluster import KMeans

    sample = np.random.default_rng(0).permutation(len(rows))[:SAMPLE]
    codes, centroids = list[NDArray[np.uint8]](), list[NDArray[np.float32]]()
    for place in range(0, rows.shape[1], WIDTH):
        part = np.ascontiguousarray(rows[:, place : place + WIDTH])
        different = len(np.unique(part[sample], axis=0))
        means = KMeans(min(different, CENTROIDS - 1), n_init=1, max_iter=STEPS, random_state=0).fit(part[sample])
        known = np.zeros((CENTROIDS, part.shape[1]), "<f4")
        known[1 : 1 + means.n_clusters] = means.cluster_centers_
        codes.append((1 + means.predict(part)).astype(np.uint8))
        centroids.append(known)
    return np.column_stack(codes), centroids


def write_quantized(file: Any, codes: NDArray[np.uint8], centroids: list[NDArray[np.float32]]) -> None:
    """Write a matrix of rows with these codes; all codes of a row of zeros are 0."""
    first, last = centroids[0].shape[1], centroids[-1].shape[1]
    dim = first * (len(centroids) - 1) + last
    file.write(b"\0" + np.array([len(codes), dim], "<i8").tobytes() + np.array([codes.size], "<i4").tobytes())
    file.write(codes.tobytes() + np.array([dim, len(centroids), first, last], "<i4").tobytes())
    file.write(b"".join(known.tobytes() for known in centroids))

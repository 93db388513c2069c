"""Rows → rows in fewer bits, and how many neighbors they keep.

Encoding is exact in the sense that each code is the best one: the nearest of 255 steps, the sign, the nearest centroid.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.files.quantized_rows import BinaryRows, Int8Rows, ProductRows, QuantizedRows, part_of_column
from rowspace.space.kmeans import LEARNED_FROM, euclidean_centers
from rowspace.space.neighbors import nearest
from rowspace.space.similarity import BLOCK_BYTES

__all__ = ["QUANTIZATIONS", "Quantization", "neighbors_kept", "quantize", "quantize_product"]

Rows = NDArray[np.floating[Any]]
Quantization = Literal["int8", "binary", "pq"]
"""int8: a scale for each row; binary: a sign for each number; pq: product quantization, a byte for four numbers."""
QUANTIZATIONS: tuple[Quantization, ...] = get_args(Quantization)

COLUMNS_PER_PART = 4
CENTROIDS = 256


def quantize(rows: Rows, kind: Quantization, *, seed: int = 0) -> QuantizedRows:
    """Return rows (V, d) in fewer bits.

    Args:
        rows: Finite numbers.
        kind: "int8" takes the largest number of a row as 127 steps; "binary" keeps signs, and the mean size of a row's
            numbers, which is the best scale by least squares; "pq" learns 256 centroids for every four columns.
        seed: Seed of the centroids.

    Raises:
        UsageError: The kind is unknown, there are no rows, or one has NaN or infinity.
        MissingExtraError: "pq" needs scikit-learn.

    >>> quantize(np.array([[0.5, -1.0], [0.0, 0.0]]), "int8").codes
    array([[  64, -127],
           [   0,    0]], dtype=int8)
    """
    if kind not in QUANTIZATIONS:
        raise UsageError(f"kind must be one of {', '.join(QUANTIZATIONS)}, not {kind!r}")
    if rows.ndim != 2 or not rows.size:
        raise UsageError(f"rows must be a (V, d) array with numbers, got shape {rows.shape}")
    narrow = _as_float32(rows)
    if kind == "pq":
        return quantize_product(narrow, -(-rows.shape[1] // COLUMNS_PER_PART), seed=seed)
    return _int8(narrow) if kind == "int8" else _binary(narrow)


def quantize_product(
    rows: NDArray[np.float32], parts: int, *, seed: int = 0, block_bytes: int = BLOCK_BYTES
) -> ProductRows:
    """Return rows (V, d) as codes of centroids, one byte for each of `parts` parts.

    Centroids are learned from all rows, or from a sample of 50,000.

    Raises:
        UsageError: `parts` is not from 1 to d.
        MissingExtraError: scikit-learn is not installed.
    """
    size, dim = rows.shape
    if not 1 <= parts <= dim:
        raise UsageError(f"parts must be from 1 to the length of a row, {dim}, not {parts}")
    part = part_of_column(dim, parts)
    drawn = np.sort(np.random.default_rng(seed).permutation(size)[:LEARNED_FROM])
    codes = np.empty((size, int(part[-1]) + 1), np.uint8)
    centroids = np.zeros((CENTROIDS, dim), np.float32)
    step = max(1, block_bytes // (8 * CENTROIDS))
    for number in range(codes.shape[1]):
        columns = np.flatnonzero(part == number)
        centers = euclidean_centers(rows[drawn][:, columns], CENTROIDS, seed=seed).astype(np.float32)
        centroids[: len(centers), columns] = centers
        for start in range(0, size, step):
            codes[start : start + step, number] = _nearest_center(rows[start : start + step, columns], centers)
    return ProductRows(codes, centroids)


def neighbors_kept(rows: Rows, decoded: Rows, *, k: int = 10, sample: int = 1000, seed: int = 0) -> float:
    """Return recall@k: the mean share of a row's k nearest neighbors, by cosine, that are still among them.

    Args:
        rows: (V, d) before.
        decoded: (V, d) after, in the same order; the queries are of these rows, too.
        k: The number of neighbors.
        sample: Use at most so many queries, drawn from the rows that are not zero.
        seed: Seed of the sample.

    Returns:
        From 0 to 1; NaN where no row has k neighbors.

    >>> rows = np.random.default_rng(0).normal(size=(50, 8))
    >>> neighbors_kept(rows, rows), neighbors_kept(rows, -rows)
    (1.0, 1.0)
    """
    used = np.flatnonzero(np.asarray(rows).any(axis=1))
    if len(used) <= k:
        return float("nan")
    places = np.sort(np.random.default_rng(seed).permutation(len(used))[:sample])
    before, after = (_neighbors(np.asarray(side[used]), places, k) for side in (rows, decoded))
    return float(np.mean([len(set(old) & set(new)) / k for old, new in zip(before, after, strict=True)]))


def _neighbors(rows: Rows, places: NDArray[np.int64], k: int) -> list[list[int]]:
    ids: list[list[int]] = nearest(rows[places], rows, k, exclude=places[:, None])[0].tolist()
    return ids


def _as_float32(rows: Rows) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        narrow = np.asarray(rows, np.float32)
    if not np.isfinite(narrow).all():
        place = int(np.flatnonzero(~np.isfinite(narrow).all(axis=1))[0])
        raise UsageError(f"row {place} has NaN, infinity or numbers beyond float32; repair the table first")
    return narrow


def _int8(rows: NDArray[np.float32]) -> Int8Rows:
    scales = np.abs(rows).max(axis=1) / np.float32(127)
    steps = rows / np.where(scales > 0, scales, 1)[:, None]
    return Int8Rows(np.rint(steps).clip(-127, 127).astype(np.int8), scales)


def _binary(rows: NDArray[np.float32]) -> BinaryRows:
    return BinaryRows(np.packbits(rows > 0, axis=1), np.abs(rows).mean(axis=1), rows.shape[1])


def _nearest_center(points: NDArray[np.float32], centers: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the center with the least Euclidean distance to each point: ‖p‖² is the same for all centers."""
    wide = centers.astype(np.float64)
    scores = points.astype(np.float64) @ wide.T - (wide**2).sum(axis=1) / 2
    codes: NDArray[np.uint8] = scores.argmax(axis=1).astype(np.uint8)
    return codes

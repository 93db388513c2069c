"""Vectors of float32 → float16, int8 or bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.options import DType
from rowspace.errors import UsageError

__all__ = ["quantize", "stored_form"]

DTYPES: dict[str, type[np.generic]] = {
    "float32": np.float32,
    "float16": np.float16,
    "int8": np.int8,
    "binary": np.int8,
    "ubinary": np.uint8,
}
MAX_INT8 = 127  # of int8, so that -x and x are equally far from 0


def quantize(
    vectors: NDArray[np.floating[Any]], dtype: DType, *, ranges: NDArray[np.floating[Any]] | None = None
) -> NDArray[Any]:
    """Return vectors in a smaller dtype.

    Args:
        vectors: (n, d) floating.
        dtype: One of

            - "float32", "float16": rounded to nearest;
            - "int8": without `ranges`, x · 127 / max |x| of each vector, rounded to nearest, so that a result does not
              depend on other vectors, and cosines are kept up to rounding (dot products are not: the scale is lost);
            - "ubinary": one bit for each column, 1 where x > 0, eight in a byte, the first column in the highest bit;
            - "binary": the same bytes less 128, as int8.
        ranges: (2, d), smallest and largest value of each column, for "int8" only: 255 equal steps between them are
            -128 to 127. This is `quantize_embeddings(..., "int8", ranges=ranges)` of sentence-transformers 6, as are
            "binary" and "ubinary". Take the ranges from vectors of your own texts:
            `np.stack([vectors.min(axis=0), vectors.max(axis=0)])`.

    Returns:
        (n, d) of the dtype, or (n, ⌈d / 8⌉) int8 or uint8 for bits.

    Raises:
        UsageError: The dtype is unknown, or the ranges do not fit.

    >>> quantize(np.array([[0.5, -1.0, 0.25]]), "int8").tolist()
    [[64, -127, 32]]
    >>> quantize(np.array([[0.5, -1.0, 0.25]]), "ubinary").tolist()
    [[160]]
    """
    if dtype not in DTYPES:
        raise UsageError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
    if ranges is not None:
        if dtype != "int8":
            raise UsageError(f"ranges are for dtype 'int8', not {dtype!r}; leave them out")
        return _in_steps(vectors, np.asarray(ranges, np.float32))
    if dtype == "int8":
        return _scaled(vectors)
    if dtype in ("binary", "ubinary"):
        bits = np.packbits(vectors > 0, axis=-1)
        return bits if dtype == "ubinary" else (bits - np.uint8(128)).view(np.int8)
    return vectors.astype(DTYPES[dtype], copy=False)


def stored_form(dim: int, dtype: str) -> tuple[int, np.dtype[Any]]:
    """Return how many numbers a vector of `dim` columns has in a dtype, and NumPy's dtype.

    >>> stored_form(20, "ubinary")
    (3, dtype('uint8'))
    """
    return -(-dim // 8) if dtype.endswith("binary") else dim, np.dtype(DTYPES[dtype])


def _scaled(vectors: NDArray[np.floating[Any]]) -> NDArray[np.int8]:
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0)
    shares = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    return np.asarray(np.rint(shares * MAX_INT8).astype(np.int8))


def _in_steps(vectors: NDArray[np.floating[Any]], ranges: NDArray[np.float32]) -> NDArray[np.int8]:
    if ranges.shape != (2, vectors.shape[-1]):
        raise UsageError(
            f"ranges must be the smallest and the largest value of {vectors.shape[-1]} columns, "
            f"(2, {vectors.shape[-1]}), not {ranges.shape}"
        )
    steps = (ranges[1] - ranges[0]) / 255
    steps[steps == 0] = 1
    whole = np.floor((vectors - ranges[0]) / steps).clip(0, 255)
    return np.asarray((whole - 128).astype(np.int8))

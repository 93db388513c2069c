"""Ids → vectors, compiled: the rows of a text's tokens are pooled while they are in the cache.

`pooling.pool_with_numpy` is the same in NumPy.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.options import COUNT_MISSING, FIRST, KEEP_UNKNOWN, MAX, NORMALIZE, POOLING

__all__ = ["add_row", "add_two_rows", "finish", "half_to_single", "maximum_of_row", "pool_rows"]

HALF_SCALE = np.float32(2.0**112)  # difference of the biases of the exponents of float32 and float16


@kernel
def pool_rows(
    rows: NDArray[Any],
    unseen: NDArray[np.float32],
    weights: NDArray[np.float32],
    ids: NDArray[np.int32],
    indptr: NDArray[np.int64],
    unknown: int,
    rule: int,
    out: NDArray[np.float32],
) -> int:
    """Write the vector of each text to `out`, and return how many tokens have no row.

    Args:
        rows: (V, d) float32, float64, or the bits of float16 as uint16.
        unseen: (u, d) rows of the ids -1 … -u.
        weights: (V,) factors of the rows, or (0,).
        ids: The ids of all texts; an id from V up, or below -u, has no row.
        indptr: (n + 1,) where each text's ids begin.
        unknown: The id of the unknown token, or V.
        rule: See `pool_rule`.
        out: (n, up to d).
    """
    without_row = 0
    pooling = rule & POOLING
    for text in range(out.shape[0]):
        for column in range(out.shape[1]):
            out[text, column] = 0
        terms, missing = 0, 0
        held, held_weight = -1, np.float32(1)  # a row to be added with the next one
        for place in range(indptr[text], indptr[text + 1]):
            token = ids[place]
            is_missing = token >= rows.shape[0] or token < -unseen.shape[0]
            if is_missing or token == unknown:
                without_row += 1
            if token == unknown and not rule & KEEP_UNKNOWN:
                continue
            if pooling == FIRST and terms + missing > 0:
                continue
            if is_missing:
                if rule & COUNT_MISSING:
                    missing += 1
                    if pooling == MAX:
                        maximum_with_zeros(terms + missing == 1, out, text)
                continue
            weight = np.float32(1)
            if weights.shape[0] > 0 and token >= 0:
                weight = weights[token]
            if pooling == MAX:
                if token >= 0:
                    maximum_of_row(rows, token, terms + missing == 0, out, text)
                else:
                    maximum_of_row(unseen, -1 - token, terms + missing == 0, out, text)
            elif token < 0:
                add_row(unseen, -1 - token, weight, out, text)
            elif held < 0:
                held, held_weight = token, weight
            else:
                add_two_rows(rows, held, held_weight, token, weight, out, text)
                held = -1
            terms += 1
        if held >= 0:
            add_row(rows, held, held_weight, out, text)
        finish(terms + missing if pooling == 0 else 1, rule & NORMALIZE != 0, out, text)
    return without_row


@kernel
def add_row(rows: NDArray[Any], token: int, weight: np.float32, out: NDArray[np.float32], text: int) -> None:
    """Add a row times a weight to out[text]."""
    if rows.itemsize == 2:
        for column in range(out.shape[1]):
            out[text, column] += weight * half_to_single(rows[token, column])
    else:
        for column in range(out.shape[1]):
            out[text, column] += weight * rows[token, column]


@kernel
def add_two_rows(
    rows: NDArray[Any],
    first: int,
    first_weight: np.float32,
    second: int,
    second_weight: np.float32,
    out: NDArray[np.float32],
    text: int,
) -> None:
    """Add two rows times their weights to out[text]: a third faster than one by one, since `out` is touched once."""
    if rows.itemsize == 2:
        for column in range(out.shape[1]):
            out[text, column] += first_weight * half_to_single(rows[first, column])
            out[text, column] += second_weight * half_to_single(rows[second, column])
    else:
        for column in range(out.shape[1]):
            total = out[text, column] + first_weight * rows[first, column]
            out[text, column] = total + second_weight * rows[second, column]


@kernel
def maximum_of_row(rows: NDArray[Any], token: int, is_first: bool, out: NDArray[np.float32], text: int) -> None:
    """Take the larger of a row and out[text] in each column, or the row if it is the first one."""
    for column in range(out.shape[1]):
        value = np.float32(rows[token, column])
        if rows.itemsize == 2:
            value = half_to_single(rows[token, column])
        if is_first or value > out[text, column]:
            out[text, column] = value


@kernel
def maximum_with_zeros(is_first: bool, out: NDArray[np.float32], text: int) -> None:
    """Take the larger of zero and out[text] in each column."""
    for column in range(out.shape[1]):
        if is_first or out[text, column] < 0:
            out[text, column] = 0


@kernel
def finish(terms: int, normalize: bool, out: NDArray[np.float32], text: int) -> None:
    """Divide the sum in out[text] by the number of its terms, and `normalize` it; zeros stay zeros."""
    if terms > 1:
        for column in range(out.shape[1]):
            out[text, column] /= np.float32(terms)
    if normalize:
        total = 0.0
        for column in range(out.shape[1]):
            total += np.float64(out[text, column]) * np.float64(out[text, column])
        if total != 0:
            length = np.float32(np.sqrt(total))
            for column in range(out.shape[1]):
                out[text, column] /= length


@kernel
def half_to_single(bits: np.uint16) -> np.float32:
    """The value of a float16 whose bits are given: exact, also for subnormal numbers, infinity and NaN."""
    magnitude = np.uint32(bits) & np.uint32(0x7FFF)
    sign = np.uint32((np.uint32(bits) & np.uint32(0x8000)) << np.uint32(16))
    scaled = np.uint32(magnitude << np.uint32(13)).view(np.float32) * HALF_SCALE
    infinite = np.uint32(0x7F800000) if magnitude >= np.uint32(0x7C00) else np.uint32(0)
    return np.uint32(np.float32(scaled).view(np.uint32) | sign | infinite).view(np.float32)

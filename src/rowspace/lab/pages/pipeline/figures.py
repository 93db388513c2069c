"""The figures of the Pipeline page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.lab.pages.pipeline.replies import Backward, Check, Forward, Matrix
from rowspace.table import Table

Ids = NDArray[np.int64]
Array = NDArray[Any]


def forward_figure(table: Table, ids: Ids) -> Forward:
    """The rows of ids, looked up and as the product of a one-hot matrix and the table."""
    rows, columns = table[ids], np.unique(ids)
    one_hot = (ids[:, np.newaxis] == columns).astype(rows.dtype)  # without its columns of zeros
    with np.errstate(invalid="ignore"):  # zero times infinity
        product = one_hot @ table[columns]
    return {
        "ids": ids,
        "rows": rows,
        "one_hot": one_hot,
        "product": product,
        "vocabulary": len(table),
        "columns": [table.vocabulary[column] for column in columns],
        "equal": np.array_equal(product, rows),
        "finite": bool(np.isfinite(rows).all()),
    }


def no_positions(*, count: int, width: int) -> Array:
    """Zeros (count, width)."""
    return np.zeros((count, width), np.float32)


def matrix_figure(table: Table, ids: Ids, positions: Array) -> Matrix:
    """The input matrix X: rows plus positions."""
    return {"positions": positions, "X": table[ids] + positions}


def upstream_rows(table: Table, ids: Ids, *, g: Sequence[float], kind: str) -> Array:
    """Of each token the number g, or g times its row: the gradient of g·‖row‖²/2."""
    rows = table[ids]
    upstream: Array = np.array(g, np.float32)[:, np.newaxis] * (rows if kind == "rows" else np.ones_like(rows))
    return upstream


def one_hot_gradient(ids: Ids, upstream: Array) -> dict[str, Array]:
    """Hᵀ G, for the columns of H that hold a one."""
    one_hot = (ids[:, np.newaxis] == np.unique(ids)).astype(upstream.dtype)
    return {"one_hot": one_hot.T @ upstream}


def compared(way: str, other: Array, gradient: Array) -> Check:
    """Whether a gradient computed in another way is the same."""
    equal = np.array_equal(other, gradient, equal_nan=True)
    return {"way": way, "equal": equal, "difference": float(np.abs(other - gradient).max(initial=0))}


def backward_figure(table: Table, ids: Ids, upstream: Array, others: Mapping[str, Array]) -> Backward:
    """A row gets the sum of what comes back to its tokens; rows that are not touched get nothing."""
    touched, which = np.unique(ids, return_inverse=True)
    gradient = np.zeros((len(touched), table.dim), upstream.dtype)
    np.add.at(gradient, which, upstream)
    return {
        "upstream": upstream,
        "touched": touched,
        "gradient": gradient,
        "vocabulary": len(table),
        "rows": [table.vocabulary[id] for id in touched],
        "token_indices": [np.flatnonzero(which == row).tolist() for row in range(len(touched))],
        "checks": [compared(way, other, gradient) for way, other in others.items()],
    }

"""The figures of the Pipeline page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.table import Table
from rowspace_lab.pages.pipeline.replies import Backward, Check, Forward, Nearest, TableCells
from rowspace_lab.shared.directions import compared_norms

Ids = NDArray[np.int64]
Array = NDArray[Any]


def forward_figure(table: Table, ids: Ids) -> Forward:
    """Look up the rows of ids, and compute them as the product of a one-hot matrix and the table."""
    rows, columns = table[ids], np.unique(ids)
    one_hot = (ids[:, np.newaxis] == columns).astype(rows.dtype)  # only the columns that contain a one
    with np.errstate(invalid="ignore"):  # 0 * inf is NaN
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
        "product_operations": 2 * len(ids) * len(table) * table.dim,
        "one_hot_numbers": len(ids) * len(table),
        "numbers_read": len(ids) * table.dim,
    }


def nearest_figure(table: Table, ids: Ids, *, k: int) -> Nearest:
    """Find the k tokens with the largest cosine to each token, leaving out itself and rows of zeros."""
    norms = compared_norms(table, "cosine")
    known = np.array([id for id in np.unique(ids) if norms[id] < np.inf], np.int64)
    found, scores = space.nearest(table[known], table.rows, k, exclude=known[:, np.newaxis], row_norms=norms)
    nearest = {
        int(id): [(table.vocabulary[other], float(score)) for other, score in zip(*each, strict=True) if other >= 0]
        for id, *each in zip(known, found, scores, strict=True)
    }
    return {
        "names": [[token for token, _ in nearest.get(int(id), [])] for id in ids],
        "scores": [[score for _, score in nearest.get(int(id), [])] for id in ids],
    }


def cells_figure(table: Table, *, height: int, width: int) -> TableCells:
    """Sample the table at evenly spaced rows and columns."""
    part = space.downsample_matrix(table.rows, (0, len(table)), (0, table.dim), cells=(height, width), by="sample")
    return {"cells": part.values, "row_edges": part.row_edges, "columns": table.dim, "vocabulary": len(table)}


def upstream_rows(table: Table, ids: Ids, *, g: Sequence[float], kind: str) -> Array:
    """Return an upstream gradient: g in every dimension, or g times the row, the gradient of g·‖row‖²/2."""
    rows = table[ids]
    upstream: Array = np.array(g, np.float32)[:, np.newaxis] * (rows if kind == "rows" else np.ones_like(rows))
    return upstream


def one_hot_gradient(ids: Ids, upstream: Array) -> dict[str, Array]:
    """Compute Hᵀ G for the columns of H that contain a one."""
    one_hot = (ids[:, np.newaxis] == np.unique(ids)).astype(upstream.dtype)
    return {"one_hot": one_hot.T @ upstream}


def compared(way: str, other: Array, gradient: Array) -> Check:
    """Compare a gradient with one computed in another way."""
    equal = np.array_equal(other, gradient, equal_nan=True)
    return {"way": way, "equal": equal, "difference": float(np.abs(other - gradient).max(initial=0))}


def backward_figure(table: Table, ids: Ids, upstream: Array, others: Mapping[str, Array]) -> Backward:
    """Sum the upstream gradients of each row's tokens; all other rows have gradient zero."""
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

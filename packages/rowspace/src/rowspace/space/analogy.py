"""a is to b as c is to ...: 3CosAdd and 3CosMul of Levy & Goldberg (2014).

Both take ids and search all rows. 3CosAdd is a search for the neighbors of one vector, so thousands of
questions cost one batched product; 3CosMul reads the rows once for each question.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.space.neighbors import MEMORY, Answer, best_first, nearest, validate_k
from rowspace.space.similarity import BLOCK_BYTES, row_norms as norms_of, unit_rows

__all__ = ["cos_add", "cos_mul"]

Rows = NDArray[np.floating[Any]]
Ids = NDArray[np.int64]
Norms = NDArray[np.float64]

EPSILON = 0.001
"""Keeps 3CosMul from dividing by zero, as in the paper; gensim adds 0.000001."""


def cos_add(
    rows: Rows,
    questions: Ids,
    k: int = 1,
    *,
    row_norms: Norms | None = None,
    keep_inputs: bool = False,
    memory: int = MEMORY,
) -> Answer:
    """Return the k rows nearest by cosine to b - a + c, each first scaled to length 1.

    The score is the cosine itself, as in gensim's `most_similar(positive=[b, c], negative=[a])`. Order, ties,
    `row_norms`, `memory` and errors are those of `nearest`.

    Args:
        rows: (V, d) floats.
        questions: (n, 3) int64, the ids of a, b and c.
        k: the number of answers.
        row_norms: (V,) float64, computed here without it.
        keep_inputs: allow a, b and c as answers.
        memory: that of `nearest`.

    Returns:
        Ids (n, k) int64 and scores (n, k) float32, best first.

    Source: Mikolov et al. (2013); named 3CosAdd by Levy & Goldberg (2014), equation 3.

    >>> rows = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
    >>> cos_add(rows, np.array([[0, 1, 2]]))[0]
    array([[3]])
    """
    a, b, c = (unit_rows(rows[ids]) for ids in _validate_questions(questions, len(rows)).T)
    offsets = b - a + c
    queries: Rows = offsets if rows.dtype.itemsize > 4 else offsets.astype(np.float32)
    exclude = None if keep_inputs else questions
    return nearest(queries, rows, k, exclude=exclude, row_norms=row_norms, memory=memory)


def cos_mul(
    rows: Rows,
    questions: Ids,
    k: int = 1,
    *,
    row_norms: Norms | None = None,
    keep_inputs: bool = False,
    epsilon: float = EPSILON,
) -> Answer:
    """Return the k rows x with the largest cos(x, b) cos(x, c) / (cos(x, a) + epsilon).

    The cosines are first shifted to [0, 1], by (1 + cos) / 2. Arguments, results, order and ties are those of
    `cos_add`. With `epsilon=1e-6` these are the numbers of gensim's `most_similar_cosmul`.

    Source: Levy & Goldberg (2014), "Linguistic Regularities in Sparse and Explicit Word Representations",
    equation 4.

    >>> rows = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
    >>> cos_mul(rows, np.array([[0, 1, 2]]))[0]
    array([[3]])
    """
    width = min(validate_k(k), len(rows))
    norms = norms_of(rows) if row_norms is None else row_norms
    questions = _validate_questions(questions, len(rows))
    ids = np.empty((len(questions), width), np.int64)
    keys = np.empty(ids.shape, np.float32)
    for n, question in enumerate(questions):
        a, b, c = (_cosines(rows, norms, question) + 1) / 2
        scores = (b * c / (a + epsilon)).astype(np.float32)
        scores[np.isnan(scores)] = -np.inf
        if not keep_inputs:
            scores[question] = -np.inf
        ids[n] = np.argsort(-scores, kind="stable")[:width]
        keys[n] = scores[ids[n]]
    return best_first(keys, np.where(keys == -np.inf, -1, ids), "cosine")


def _cosines(rows: Rows, norms: Norms, ids: Ids) -> NDArray[np.float64]:
    """Return the cosines (3, V) of three rows with every row, read in blocks."""
    units = unit_rows(rows[ids])
    cosines = np.empty((len(ids), len(rows)))
    step = max(1, BLOCK_BYTES // (8 * rows.shape[1]))
    for start in range(0, len(rows), step):
        block = np.asarray(rows[start : start + step], np.float64)
        # The order of vecdot's sum does not depend on a row's position, so equal rows tie exactly.
        with np.errstate(invalid="ignore"):
            cosines[:, start : start + step] = np.vecdot(units[:, np.newaxis], block[np.newaxis])
    with np.errstate(invalid="ignore"):
        return np.divide(cosines, norms, out=np.zeros_like(cosines), where=norms != 0)


def _validate_questions(questions: Ids, size: int) -> Ids:
    """Raise `UsageError` unless `questions` is (n, 3) of valid ids."""
    array = np.asarray(questions)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iu":
        raise UsageError(f"questions must be (n, 3) ids of a, b and c, got {array.shape} of {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= size):
        raise UsageError(f"questions must hold ids from 0 to {size - 1}, got {array.min()} to {array.max()}")
    return array

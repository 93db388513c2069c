"""The lookup from scratch, in NumPy: the reference for `lookup`.

Reading rows, the loop that sums their gradient, and both as products with the one-hot matrix H: row i has a one at
`ids[i]` and zeros elsewhere. For teaching and as the oracle of tests; H has N·V numbers, too many for real use.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def lookup_forward(ids: ArrayLike, weight: ArrayLike) -> NDArray[np.floating]:
    """Ids (...) and weight (V, d) → (..., d): row `weight[id]` for each id.

    Args:
        ids: (...) integers.
        weight: (V, d).

    Returns:
        (..., d) in the dtype of `weight`.

    >>> lookup_forward([2, 0], [[0.0, 0.1], [1.0, 1.1], [2.0, 2.1]])
    array([[2. , 2.1],
           [0. , 0.1]])
    """
    ids, weight = np.asarray(ids), np.asarray(weight)
    rows = np.empty((ids.size, weight.shape[1]), weight.dtype)
    for place, token in enumerate(ids.flat):
        rows[place] = weight[token]
    return rows.reshape(*ids.shape, weight.shape[1])


def lookup_backward(ids: ArrayLike, grad: ArrayLike, num_embeddings: int) -> NDArray[np.floating]:
    """Ids (...) and grad (..., d) → (V, d): the sum of the gradients of each id, zeros for unused rows.

    Args:
        ids: (...) integers.
        grad: (..., d).
        num_embeddings: V.

    Returns:
        (V, d) in the dtype of `grad`.

    >>> lookup_backward([2, 2, 5], [[1.0], [10.0], [100.0]], 6).T
    array([[  0.,   0.,  11.,   0.,   0., 100.]])
    """
    ids, grad = np.asarray(ids), np.asarray(grad)
    sums = np.zeros((num_embeddings, grad.shape[-1]), grad.dtype)
    for token, row in zip(ids.flat, grad.reshape(-1, grad.shape[-1]), strict=True):
        sums[token] += row
    return sums


def one_hot(ids: ArrayLike, num_embeddings: int) -> NDArray[np.float64]:
    """Ids (...) → H (N, V), so that the lookup is `H @ weight` and its gradient `H.T @ grad`.

    Args:
        ids: (...) integers.
        num_embeddings: V.

    Returns:
        (N, V) float64.

    >>> one_hot([2, 0], 3)
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    ids = np.asarray(ids).reshape(-1)
    H = np.zeros((ids.size, num_embeddings))
    H[np.arange(ids.size), ids] = 1.0
    return H

"""The gradient of one row as the sum of its parts."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel

__all__ = ["sum_gradients"]

Rows = NDArray[np.float32] | NDArray[np.float64]


@kernel
def sum_gradients(gradients: Rows, order: NDArray[np.int64], begin: int, end: int, total: Rows) -> None:
    """Write the sum of `gradients[order[begin:end]]`, in this order, to `total`."""
    first = gradients[order[begin]]
    for column in range(len(total)):
        total[column] = first[column]
    for part in range(begin + 1, end):
        other = gradients[order[part]]
        for column in range(len(total)):
            total[column] += other[column]

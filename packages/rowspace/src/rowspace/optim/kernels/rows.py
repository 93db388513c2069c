"""What the kernels of all deferred optimizers do with one row: sum its gradients, copy it, prefetch the next one."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.optim.kernels.prefetch import prefetch

__all__ = ["copy_row", "prefetch_gradient", "sum_gradients"]

Rows = NDArray[np.float32] | NDArray[np.float64]
Steps = NDArray[np.int64]


@kernel
def sum_gradients(gradients: Rows, starts: Steps, order: Steps, place: int, total: Rows) -> None:
    """Write the gradient of row number `place`, the sum of `gradients[order[starts[place]:starts[place + 1]]]`.

    The parts are summed in this order.
    """
    first = gradients[order[starts[place]]]
    for column in range(len(total)):
        total[column] = first[column]
    for part in range(starts[place] + 1, starts[place + 1]):
        other = gradients[order[part]]
        for column in range(len(total)):
            total[column] += other[column]


@kernel
def prefetch_gradient(gradients: Rows, starts: Steps, order: Steps, place: int) -> None:
    """Prefetch the first part of the gradient of row number `place`."""
    prefetch(gradients, order[starts[place]])


@kernel
def copy_row(row: Rows, starts: Steps, order: Steps, place: int, output: Rows) -> None:
    """Write row number `place` to `output[order[starts[place]:starts[place + 1]]]`; to nowhere if `output` is empty."""
    if len(output) > 0:
        for part in range(starts[place], starts[place + 1]):
            copy = output[order[part]]
            for column in range(len(row)):
                copy[column] = row[column]

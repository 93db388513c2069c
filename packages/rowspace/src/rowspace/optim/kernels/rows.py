"""What the kernels of all deferred optimizers do with a row: sum its gradients, copy it, prefetch the next gradient."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel, prefetch
from rowspace.optim.rows.segments import Segments

__all__ = ["LinearState", "copy_row", "prefetch_gradient", "sum_gradients"]


Rows = NDArray[np.float32] | NDArray[np.float64]
Steps = NDArray[np.int64]


class LinearState(NamedTuple):
    """All rows under SGD or row-wise Adagrad, and the steps that they are at."""

    value_steps: Steps  # (V,)
    moment_steps: Steps  # (V,)
    values: Rows  # (V, d)
    moment: Rows  # (V, d) momentum, or (V,) sums of squares


@kernel
def sum_gradients(gradients: Rows, segments: Segments, place: int, total: Rows) -> None:
    """Write the gradient of row number `place` of the segments, the sum of its parts in their order."""
    starts, order = segments.starts, segments.order
    first = gradients[order[starts[place]]]
    for column in range(len(total)):
        total[column] = first[column]
    for part in range(starts[place] + 1, starts[place + 1]):
        other = gradients[order[part]]
        for column in range(len(total)):
            total[column] += other[column]


@kernel
def prefetch_gradient(gradients: Rows, segments: Segments, place: int) -> None:
    """Prefetch the first part of the gradient of row number `place`."""
    prefetch(gradients, segments.order[segments.starts[place]])


@kernel
def copy_row(row: Rows, segments: Segments, place: int, output: Rows) -> None:
    """Write row number `place` of the segments to its parts of `output`; to nowhere if `output` is empty."""
    if len(output) > 0:
        for part in range(segments.starts[place], segments.starts[place + 1]):
            copy = output[segments.order[part]]
            for column in range(len(row)):
                copy[column] = row[column]

"""What a model that ignores its input reaches: with the frequencies of bytes, or with the most frequent class."""

import math

import numpy as np

from rowspace_lab.experiments.arena.tasks.samples import Samples, Task

__all__ = ["baseline"]


def baseline(task: Task) -> float:
    """Return the held-out bits per byte with the byte frequencies of training, or the accuracy of the best constant.

    Args:
        task: The task.
    """
    if task.classes:
        return float(np.bincount(task.test.labels).max() / len(task.test))
    train, test = _byte_counts(task, task.train) + 1, _byte_counts(task, task.test)
    bits = np.log2(train.sum()) - np.log2(train)
    return math.fsum(bits * test) / int(test.sum())


def _byte_counts(task: Task, samples: Samples) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Count the bytes that samples predict: those of all chunks but the first."""
    used = np.bincount(samples.units[:, 1:].ravel(), minlength=len(task.units))
    counts = np.zeros(256, np.int64)
    for unit, count in zip(task.units, used.tolist(), strict=True):
        if count and isinstance(unit, bytes):
            np.add.at(counts, np.frombuffer(unit, np.uint8), count)
    return counts

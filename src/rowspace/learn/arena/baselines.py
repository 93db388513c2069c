"""What a model that ignores its input reaches: the frequencies of bytes, or of labels, in training."""

import math

import numpy as np

from rowspace.learn.arena.tasks import Samples, Task

__all__ = ["baseline"]


def baseline(task: Task) -> float:
    """Return the held-out bits per byte of the byte frequencies of training, or the majority class's accuracy.

    Args:
        task: The task.
    """
    if task.classes:
        majority = np.bincount(task.train.labels, minlength=len(task.classes)).argmax()
        return float((task.test.labels == majority).mean())
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

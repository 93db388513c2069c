"""Samples in the form of a strategy → padded batches."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from rowspace_lab.experiments.arena.model.forms import Form
from rowspace_lab.experiments.arena.model.model import NO_BYTE, Batch
from rowspace_lab.experiments.arena.tasks.samples import Samples, Task

__all__ = ["Batches"]

_TOKENS = 768  # about this many in a batch
_MIN_INPUTS, _MAX_INPUTS = 2, {False: 32, True: 10}  # inputs, which have many predictions each for next bytes


class Batches:
    """The batches of a task in one form.

    A batch has about the same number of tokens for all strategies, within bounds, so that all make about the same
    number of steps in the same time.

    Args:
        task: The samples.
        form: Their units.
    """

    def __init__(self, task: Task, form: Form) -> None:
        self._task, self._form = task, form
        self._predicts_bytes = not task.classes
        lengths = form.lengths[task.train.units].sum(1)
        self.mean_tokens = float(form.lengths[task.test.units].sum(1).mean())
        self.longest = int(max(lengths.max(), form.lengths[task.test.units].sum(1).max()))
        self.size = int(np.clip(_TOKENS // max(1.0, lengths.mean()), _MIN_INPUTS, _MAX_INPUTS[self._predicts_bytes]))
        self._bytes = self._unit_bytes() if self._predicts_bytes else np.zeros((0, 0), np.int64)

    def training(self, seed: int) -> Iterator[Batch]:
        """Yield batches of the training samples without end, in a new order in each pass."""
        rng = np.random.default_rng(seed)
        samples = self._task.train
        size = min(self.size, len(samples))
        while True:
            order = rng.permutation(len(samples))
            for start in range(0, len(order) - size + 1, size):
                yield self._batch(samples, order[start : start + size])

    def held_out(self) -> Iterator[Batch]:
        """Yield batches of the held-out samples in order."""
        samples = self._task.test
        for start in range(0, len(samples), self.size):
            yield self._batch(samples, np.arange(start, min(len(samples), start + self.size)))

    def _batch(self, samples: Samples, rows: NDArray[np.int64]) -> Batch:
        units = samples.units[rows]  # (batch, units)
        lengths = self._form.lengths[units]
        ends = lengths.cumsum(1)
        tokens = np.zeros((len(rows), int(ends[:, -1].max()), *self._form.tokens.shape[1:]), self._form.tokens.dtype)
        inside = np.arange(tokens.shape[1]) < ends[:, -1:]
        tokens[inside] = self._form.tokens[_ranges(self._form.starts[units].ravel(), lengths.ravel())]
        following = self._bytes[units[:, 1:]] if self._predicts_bytes else np.zeros((0, 0, 0), np.int64)
        used = int((following != NO_BYTE).sum(2).max()) if following.size else 0
        return Batch(
            tokens=torch.from_numpy(tokens if self._form.is_patches else tokens.astype(np.int64)),
            lengths=torch.from_numpy(ends[:, -1]),
            ends=torch.from_numpy(ends[:, :-1] - 1),
            following=torch.from_numpy(following[..., :used]),
            labels=torch.from_numpy(samples.labels[rows].astype(np.int64)) if len(samples.labels) else torch.zeros(0),
        )

    def _unit_bytes(self) -> NDArray[np.int64]:
        """(units, longest) the bytes of each chunk, then `NO_BYTE`."""
        chunks = [unit for unit in self._task.units if isinstance(unit, bytes)]
        lengths = np.array([len(chunk) for chunk in chunks])
        values = np.full((len(chunks), lengths.max()), NO_BYTE, np.int64)
        values[np.arange(lengths.max()) < lengths[:, None]] = np.frombuffer(b"".join(chunks), np.uint8)
        return values


def _ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start, start + 1, ... of each range, one after the other."""
    before = lengths.cumsum() - lengths
    return np.arange(lengths.sum()) + np.repeat(starts - before, lengths)

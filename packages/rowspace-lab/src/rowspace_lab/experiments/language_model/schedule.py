"""The batch and the learning rate of a step: both depend on the options and the step only, so a run can be resumed."""

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace_lab.experiments.language_model.data import Ids
from rowspace_lab.experiments.language_model.options import TrainingOptions

__all__ = ["Batch", "draw_batch", "learning_rate"]

MIN_RATE = 0.1  # at the end, as a share of the highest


class Batch(NamedTuple):
    """The texts of a step: where they begin (batch,), their ids and the next ones, (batch, context) each."""

    starts: NDArray[np.int64]
    ids: Tensor
    targets: Tensor


def draw_batch(corpus: Ids, options: TrainingOptions, step: int, device: str) -> Batch:
    """Draw the texts of a step, which are numbered from 1, at random positions of the corpus."""
    random = np.random.default_rng((options.seed, step))
    starts = random.integers(0, len(corpus) - options.context, options.batch_size)
    windows = corpus[starts[:, None] + np.arange(options.context + 1)].astype(np.int64)
    ids = torch.from_numpy(windows).to(device)  # (batch, context + 1)
    return Batch(starts, ids[:, :-1].contiguous(), ids[:, 1:].contiguous())


def learning_rate(options: TrainingOptions, step: int) -> float:
    """Return the learning rate of a step: it rises linearly during the warmup, then falls along a cosine.

    >>> options = TrainingOptions(steps=100, lr=1.0, warmup=10)
    >>> [round(learning_rate(options, step), 3) for step in (1, 10, 55, 100)]
    [0.1, 1.0, 0.55, 0.1]
    """
    if step <= options.warmup_steps:
        return options.lr * step / options.warmup_steps
    progress = (step - options.warmup_steps) / max(1, options.steps - options.warmup_steps)
    return options.lr * (MIN_RATE + (1 - MIN_RATE) * (1 + math.cos(math.pi * min(1.0, progress))) / 2)

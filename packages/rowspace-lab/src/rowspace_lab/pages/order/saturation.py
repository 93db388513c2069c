"""The figure of the Order page about the scale of scores: why they are divided by √d_k. It needs PyTorch."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from rowspace_lab.pages.order.replies import Saturation

SIZES = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
MAX_SCORE = 100  # the scores of the histograms; the standard deviation is at most √1024 = 32
CHUNK = 64  # numbers of each vector drawn at a time, to limit memory


def drawn_scores(*, seed: int, draws: int, keys: int) -> Iterator[tuple[int, Tensor]]:
    """Yield each d_k and the products (draws, keys) of a query and its keys, of numbers drawn from N(0, 1).

    The vectors of each d_k are those of the one before, with more numbers.
    """
    drawn = torch.Generator().manual_seed(seed)
    scores, done = torch.zeros(draws, keys), 0
    for size in SIZES:
        for start in range(done, size, CHUNK):
            width = min(CHUNK, size - start)
            query = torch.randn(draws, 1, width, generator=drawn)
            scores = scores + (query * torch.randn(draws, keys, width, generator=drawn)).sum(-1)
        done = size
        yield size, scores


def mean_weights(scores: Tensor) -> Tensor:
    """Return the mean softmax weights (keys,) of scores (draws, keys), each draw sorted with the largest first."""
    return scores.softmax(-1).sort(-1, descending=True).values.mean(0)


def density(scores: Tensor) -> Tensor:
    """Return the share of scores in each interval of length 1 from -MAX_SCORE to MAX_SCORE, (2 * MAX_SCORE,)."""
    return torch.histc(scores, bins=2 * MAX_SCORE, min=-MAX_SCORE, max=MAX_SCORE) / scores.numel()


def saturation_figure(*, seed: int, draws: int, keys: int) -> Saturation:
    """Measure the variance of q·k for numbers of variance 1, and the softmax weights with and without √d_k."""
    found = list(drawn_scores(seed=seed, draws=draws, keys=keys))
    plain = torch.stack([mean_weights(scores) for _, scores in found]).numpy()
    divided = torch.stack([mean_weights(scores / size**0.5) for size, scores in found]).numpy()
    return {
        "sizes": np.array(SIZES),
        "variances": np.array([float(scores.var()) for _, scores in found]),
        "plain": plain[:, 0],
        "divided": divided[:, 0],
        "plain_weights": plain,
        "divided_weights": divided,
        "middles": np.arange(-MAX_SCORE, MAX_SCORE) + 0.5,
        "plain_density": torch.stack([density(scores) for _, scores in found]).numpy(),
        "divided_density": torch.stack([density(scores / size**0.5) for size, scores in found]).numpy(),
    }

"""The figure of the Input page about initial rows: logits and loss of a tied head before training. It needs PyTorch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace_lab.pages.input.replies import Initial, InitialSpread

VOCABULARY = 10_000
STATES = 256  # hidden vectors whose losses are averaged
SHOWN = 64  # tokens whose logits are shown
SPREADS = np.geomspace(0.001, 10**0.5, 36)


def unit_logits(*, vocabulary: int, dim: int, states: int) -> Tensor:
    """Return the logits of hidden vectors of variance 1 for rows drawn from N(0, 1), (states, V).

    Rows from N(0, σ²) have logits that are σ times as large.
    """
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(vocabulary, dim, generator=generator)
    return torch.randn(states, dim, generator=generator) @ rows.T


def first_losses(logits: Tensor, *, std: float) -> Tensor:
    """Return the first loss of each hidden vector, (states,), if each token is equally often the right one."""
    return torch.logsumexp(std * logits, 1) - std * logits.mean(1)


def loss_curve(logits: Tensor) -> NDArray[np.float64]:
    """Return the mean loss at all of `SPREADS`, (36,)."""
    return np.array([float(first_losses(logits, std=std).mean()) for std in SPREADS])


def initial_spread(logits: Tensor, *, std: float) -> InitialSpread:
    """Return what a head with rows from N(0, σ²) predicts before the first step."""
    losses = first_losses(logits, std=std)
    return {
        "std": std,
        "logit_std": float(std * logits.std()),
        "top": float(torch.softmax(std * logits, 1).amax(1).mean()),
        "loss": float(losses.mean()),
        "error": float(losses.std() / len(losses) ** 0.5),
    }


def initial_figure(logits: Tensor, curve: NDArray[np.float64], *, std: float, dim: int) -> Initial:
    """Compute the first logits and loss, those of three usual standard deviations, and the loss of blind guessing."""
    return {
        **initial_spread(logits, std=std),
        "logits": std * logits[0, :SHOWN].double().numpy(),
        "blind": float(np.log(logits.shape[1])),
        "spreads": SPREADS,
        "losses": curve,
        "usual": [initial_spread(logits, std=each) for each in (1.0, dim**-0.5, 0.02)],
    }

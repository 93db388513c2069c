"""Early stopping: the epoch with the least loss of held-out texts is kept."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.classifier.rows.kernels.train import Net

__all__ = ["Stopping", "held_out_texts", "loss_of"]

SHARE = 10  # one of this many texts is held out
TINY = 1e-9


class Stopping:
    """The best epoch so far, by the loss of held-out texts.

    Args:
        loss: Returns the present loss.
        net: What is learned.
        patience: How many epochs may pass without a smaller loss.
    """

    def __init__(self, loss: Callable[[], float], net: Net, patience: int) -> None:
        self._loss, self._net, self._patience = loss, net, patience
        self._least, self._since, self._best = np.inf, 0, net

    def is_over(self) -> bool:
        """Compare the epoch that has ended with the best one; whether to stop."""
        loss = self._loss()
        if loss < self._least:
            self._least, self._since = loss, 0
            self._best = Net(*(array.copy() for array in self._net))
        else:
            self._since += 1
        return self._since >= self._patience

    def restore(self) -> None:
        """Write the best epoch to what is learned."""
        for array, best in zip(self._net, self._best, strict=True):
            array[:] = best


def held_out_texts(number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of texts to learn from, and of those that are held out."""
    order = np.random.default_rng((seed, number)).permutation(number)
    cut = max(1, number // SHARE)
    return np.sort(order[cut:]), np.sort(order[:cut])


def loss_of(probabilities: NDArray[np.float32], labels: Sequence[NDArray[np.int32]], *, adds_up: bool) -> float:
    """Return the mean log loss: of the labels that texts have, and of others too unless probabilities add up to 1."""
    total = 0.0
    for row, own in zip(probabilities, labels, strict=True):
        total -= float(np.log(np.maximum(row[own], TINY)).sum())
        if not adds_up:
            total -= float(np.log(np.maximum(1 - np.delete(row, own), TINY)).sum())
    return total / max(1, len(probabilities))

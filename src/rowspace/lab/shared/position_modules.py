"""The modules of `position_kinds`. They are not trained: a learned table is drawn from a seed, the same each time."""

from typing import Any

from rowspace.layers import LearnedPosition, SinusoidPosition  # isort: skip  # first: it names the extra to install
import torch
from numpy.typing import NDArray

from rowspace.lab.shared.position_kinds import POSITIONS

__all__ = ["position_module", "position_rows"]


def position_module(kind: str, width: int) -> LearnedPosition | SinusoidPosition:
    """Sinusoids, or a learned table before training."""
    if kind == "sinusoid":
        return SinusoidPosition(width)
    learned = LearnedPosition(POSITIONS, width)
    learned.reset_parameters(torch.Generator().manual_seed(0))
    return learned


def position_rows(*, kind: str, count: int, width: int) -> NDArray[Any]:
    """The rows of positions 0 ... count - 1, (count, width)."""
    rows: NDArray[Any] = position_module(kind, width)(torch.zeros(1, count)).detach().numpy()
    return rows

"""Modules for the `position_kinds`. They are untrained: a learned table is initialized from a fixed seed."""

from typing import Any

from rowspace.layers import LearnedPosition, SinusoidPosition  # isort: skip  # first, for its MissingExtraError
import torch
from numpy.typing import NDArray

from rowspace_lab.shared.position_kinds import POSITIONS

__all__ = ["position_module", "position_rows"]


def position_module(kind: str, width: int) -> LearnedPosition | SinusoidPosition:
    """Create sinusoids, or an untrained position table."""
    if kind == "sinusoid":
        return SinusoidPosition(width)
    learned = LearnedPosition(POSITIONS, width)
    learned.reset_parameters(torch.Generator().manual_seed(0))
    return learned


def position_rows(*, kind: str, count: int, width: int) -> NDArray[Any]:
    """Return the rows of the positions 0 ... count - 1, (count, width)."""
    rows: NDArray[Any] = position_module(kind, width)(torch.zeros(1, count)).detach().numpy()
    return rows

"""Positions of every kind for the contract suite, with fewer key heads, padding, and lengths past a limit."""

import torch
from tests.layers.case import Case

from rowspace.layers import (
    Alibi,
    AxialRotaryPosition,
    DynamicScaling,
    LearnedPosition,
    LongRopeScaling,
    MultimodalRotaryPosition,
    RelativeBias,
    RotaryPosition,
    SinusoidGrid,
    SinusoidPosition,
    YarnScaling,
    grid_positions,
)


def heads() -> tuple[torch.Tensor, torch.Tensor]:
    """q of four heads, k of two: (2, heads, 6, 16)."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, 4, 6, 16, generator=generator), torch.randn(2, 2, 6, 16, generator=generator)


def placed_heads() -> tuple[torch.Tensor, ...]:
    """The same with positions."""
    return (*heads(), torch.tensor([[0, 1, 2, 3, 4, 5], [7, 7, 0, 1, 2, 900]]))


def heads_of_patches() -> tuple[torch.Tensor, ...]:
    """The same with row and column."""
    return (*heads(), grid_positions(2, 3))


def heads_of_video() -> tuple[torch.Tensor, ...]:
    """The same with time, height and width."""
    return (*heads(), torch.arange(18).view(3, 6))


def places() -> tuple[torch.Tensor, torch.Tensor]:
    """Positions of two queries and six keys."""
    return torch.arange(4, 6), torch.arange(6)


def texts() -> tuple[torch.Tensor]:
    """(2, 6) ids with padding (1) on either side."""
    return (torch.tensor([[5, 0, 7, 3, 1, 1], [1, 1, 8, 9, 4, 2]]),)


LONGROPE = LongRopeScaling((1.0,) * 8, tuple(1.0 + pair for pair in range(8)), 4, factor=2.0)

CASES = [
    Case("RotaryPosition", lambda: RotaryPosition(16), heads),
    Case("RotaryPosition partial", lambda: RotaryPosition(16, layout="interleaved", rotary_dim=8), placed_heads),
    Case("RotaryPosition YaRN", lambda: RotaryPosition(16, scaling=YarnScaling(4.0, 64), upcast=True), placed_heads),
    Case("RotaryPosition dynamic", lambda: RotaryPosition(16, scaling=DynamicScaling(2.0, 4)), heads),
    Case("RotaryPosition longrope", lambda: RotaryPosition(16, scaling=LONGROPE), heads),
    Case("AxialRotaryPosition", lambda: AxialRotaryPosition(16), heads_of_patches),
    Case("MultimodalRotaryPosition", lambda: MultimodalRotaryPosition(16, (2, 3, 3)), heads_of_video),
    Case("Alibi", lambda: Alibi(12), places),
    Case("RelativeBias", lambda: RelativeBias(4), places),
    Case("LearnedPosition", lambda: LearnedPosition(6, 16), texts),
    Case("LearnedPosition OPT", lambda: LearnedPosition(6, 16, offset=2, position_ids_from="mask"), texts),
    Case("LearnedPosition RoBERTa", lambda: LearnedPosition(6, 16, position_ids_from="ids", padding_idx=1), texts),
    Case("SinusoidPosition", lambda: SinusoidPosition(16), texts),
    Case("SinusoidPosition fairseq", lambda: SinusoidPosition(16, layout="concatenated", endpoint=True), texts),
    Case("SinusoidPosition padded", lambda: SinusoidPosition(16, padding_idx=1), texts),
    Case("SinusoidGrid", lambda: SinusoidGrid(16, prefix_rows=1), lambda: (2, 3)),
]

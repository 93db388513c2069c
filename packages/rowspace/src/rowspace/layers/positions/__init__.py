"""Positions: position ids of tokens and patches, rows for the ids, and biases on attention scores.

Read `position_ids.py` first, then `learned.py` and `sinusoid.py`; rotary positions are in `rotary/`.
"""

from rowspace.layers.positions.alibi import Alibi, alibi_slopes
from rowspace.layers.positions.grid import GridPosition, grid_of, resample_patches, resample_positions
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.position_ids import (
    PositionIdSource,
    position_ids_from_length,
    position_ids_from_mask,
    positions_of_packed,
    texts_of_packed,
)
from rowspace.layers.positions.relative import (
    PositionScheme,
    RelativeBias,
    RelativeScores,
    distant_scores,
    relative_buckets,
    relative_scores,
)
from rowspace.layers.positions.sinusoid import SinusoidGrid, SinusoidLayout, SinusoidPosition, sinusoid_frequencies

__all__ = [
    "Alibi",
    "GridPosition",
    "LearnedPosition",
    "PositionIdSource",
    "PositionScheme",
    "RelativeBias",
    "RelativeScores",
    "SinusoidGrid",
    "SinusoidLayout",
    "SinusoidPosition",
    "alibi_slopes",
    "distant_scores",
    "grid_of",
    "position_ids_from_length",
    "position_ids_from_mask",
    "positions_of_packed",
    "relative_buckets",
    "relative_scores",
    "resample_patches",
    "resample_positions",
    "sinusoid_frequencies",
    "texts_of_packed",
]

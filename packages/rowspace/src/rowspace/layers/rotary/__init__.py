"""Rotary positions: queries and keys rotated by angles proportional to their position.

Read `position.py` first, then `frequencies.py` and `scaling.py`; `config.py` and `models.py` read a model's settings.
"""

from rowspace.layers.rotary.config import rotary_from_config, scaling_from_config
from rowspace.layers.rotary.frequencies import RotaryScaling, rotary_frequencies
from rowspace.layers.rotary.models import permute_rotary
from rowspace.layers.rotary.multi_axis import AxialRotaryPosition, MultimodalRotaryPosition, grid_positions
from rowspace.layers.rotary.position import RotaryLayout, RotaryPosition, rotate
from rowspace.layers.rotary.scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongRopeScaling,
    ProportionalScaling,
    YarnScaling,
)

__all__ = [
    "AxialRotaryPosition",
    "DynamicScaling",
    "LinearScaling",
    "Llama3Scaling",
    "LongRopeScaling",
    "MultimodalRotaryPosition",
    "ProportionalScaling",
    "RotaryLayout",
    "RotaryPosition",
    "RotaryScaling",
    "YarnScaling",
    "grid_positions",
    "permute_rotary",
    "rotary_frequencies",
    "rotary_from_config",
    "rotate",
    "scaling_from_config",
]

"""Models whose layers use different rotary frequencies (Gemma 3, ModernBERT): both, from config.json."""

from rowspace.layers.recipes.recipe import Config
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.position import RotaryPosition

LAYER_TYPES = {"rotary": "full_attention", "sliding_rotary": "sliding_attention"}


def layered_rotaries(config: Config) -> dict[str, RotaryPosition]:
    """`rotary` of the layers that see all, and `sliding_rotary` of those that see a window.

    >>> config = {"model_type": "gemma3_text", "head_dim": 32, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
    >>> layered_rotaries(config)["sliding_rotary"]
    RotaryPosition(32, base=10000.0, layout='half', rotary_dim=32)
    """
    return {ours: rotary_from_config(config, layer_type=theirs) for ours, theirs in LAYER_TYPES.items()}

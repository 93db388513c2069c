"""Models whose layers do not all turn by the same frequencies (Gemma 3, ModernBERT): both, from config.json.

Private to the folder. Read next: `gemma.py`.
"""

from collections.abc import Mapping

from rowspace.layers.recipes.recipe import Config
from rowspace.layers.rotary import RotaryPosition
from rowspace.layers.rotary_config import rotary_from_config


def layered_rotaries(config: Config, *, base: float, sliding_base: float) -> dict[str, RotaryPosition]:
    """`rotary` of the layers that see all, and `sliding_rotary` of those that see a window.

    transformers' new form has both under `rope_parameters`. The old one has a number for each base, which the caller
    read, and a scaling that is for the layers that see all.

    >>> config = {"hidden_size": 64, "num_attention_heads": 2}
    >>> layered_rotaries(config, base=1e6, sliding_base=1e4)["rotary"]
    RotaryPosition(32, base=1000000.0, layout='half', rotary_dim=32)
    """
    rope = config.get("rope_parameters")
    if isinstance(rope, Mapping) and isinstance(rope.get("full_attention"), Mapping):
        kinds = {"rotary": "full_attention", "sliding_rotary": "sliding_attention"}
        return {ours: rotary_from_config(config, layer_type=theirs) for ours, theirs in kinds.items()}
    return {
        "rotary": rotary_from_config({**config, "rope_theta": base}),
        "sliding_rotary": rotary_from_config({**config, "rope_theta": sliding_base, "rope_scaling": None}),
    }

"""`Recipe`: how the input of a published model is built, and its names in config and checkpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.position import RotaryPosition

Config = Mapping[str, Any]
TensorNames = Mapping[str, str | tuple[str, ...]]
LAYER_TYPES = {"rotary": "full_attention", "sliding_rotary": "sliding_attention"}


@dataclass(frozen=True)
class Recipe:
    """A family of models.

    - `build`: the function that builds the input.
    - `arguments`: config.json → arguments of `build`, for entries that the config has.
    - `tensors`: names of parameters → endings of names in the checkpoint, of which the first existing one is used.
    """

    build: Callable[..., nn.Module]
    arguments: Callable[[Config], dict[str, Any]]
    tensors: TensorNames


def pick_renamed(config: Config, **names: str | tuple[str, ...]) -> dict[str, Any]:
    """`{name_: config[theirs]}` for each `ours=theirs` in the config; of several names the first existing one is used.

    Raises `UsageError` for a value other than a number, null, or two numbers for height and width.

    >>> pick_renamed({"n_embd": 8, "pad_token_id": None}, dim=("hidden_size", "n_embd"), pad="pad_token_id", eps="eps")
    {'dim': 8, 'pad': None}
    """
    found: dict[str, Any] = {}
    for argument, entries in names.items():
        for name in (entries,) if isinstance(entries, str) else entries:
            if name in config:
                found[argument] = _number(name, config[name])
                break
    return found


def layered_rotaries(config: Config) -> dict[str, RotaryPosition]:
    """`rotary` for layers with full attention and `sliding_rotary` for those with a sliding window.

    >>> config = {"model_type": "gemma3_text", "head_dim": 32, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
    >>> layered_rotaries(config)["sliding_rotary"]
    RotaryPosition(32, base=10000.0, layout='half', rotary_dim=32)
    """
    return {name: rotary_from_config(config, layer_type=layer_type) for name, layer_type in LAYER_TYPES.items()}


def _number(name: str, value: Any) -> float | tuple[int, int] | None:
    """Return a number or null unchanged and [height, width] as a tuple."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(side, int) for side in value):
        return value[0], value[1]
    if value is not None and not isinstance(value, (int, float)):
        raise UsageError(f"the config's {name} is {value!r}, but must be a number; restore the config.json")
    return value

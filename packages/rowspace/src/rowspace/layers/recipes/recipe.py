"""`Recipe`: how the input of a published model is built, and its names in config and checkpoint."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.position import RotaryPosition

Config = Mapping[str, Any]
TensorNames = Mapping[str, str | Sequence[str]]
# The first release of BERT called the weight and bias of a norm gamma and beta: bert-base-uncased still has these.
OLD = {"weight": "gamma", "bias": "beta"}
LAYER_TYPES = {"rotary": "full_attention", "sliding_rotary": "sliding_attention"}


@dataclass(frozen=True)
class Recipe:
    """A family of models.

    - `build`: the function that builds the input.
    - `arguments`: config.json → arguments of `build`, for entries that the config has.
    - `tensors`: names of parameters, or of modules for all of their parameters, → endings of names in the checkpoint,
      of which the first existing one is used.
    """

    build: Callable[..., nn.Module]
    arguments: Callable[[Config], dict[str, Any]]
    tensors: TensorNames

    def endings(self, parameter: str) -> tuple[str, ...]:
        """The endings of the names that a parameter has in checkpoints.

        >>> names = {"norm": "embeddings.LayerNorm", "tokens": ["wte", "embed"]}
        >>> recipe = Recipe(nn.Identity, dict, names)
        >>> recipe.endings("tokens.weight"), recipe.endings("norm.bias")
        (('wte.weight', 'embed.weight'), ('embeddings.LayerNorm.bias', 'embeddings.LayerNorm.beta'))
        """
        if parameter in self.tensors:
            return _listed(self.tensors[parameter])
        module, _, leaf = parameter.rpartition(".")
        found = [f"{name}.{leaf}" for name in _listed(self.tensors[module])]
        old = [f"{name}.{OLD[leaf]}" for name in _listed(self.tensors[module]) if name.endswith("LayerNorm")]
        return (*found, *old)


def pick_renamed(config: Config, **names: str | tuple[str, ...]) -> dict[str, Any]:
    """`{name_: config[theirs]}` for each `ours=theirs` in the config; of several names the first existing one is used.

    A name with a dot is an entry of a part or a list: "encoder.hidden_size" is `config["encoder"]["hidden_size"]`.
    Raises `UsageError` for a value other than a number, null, or two numbers for height and width.

    >>> pick_renamed({"n_embd": 8, "pad_token_id": None}, dim=("hidden_size", "n_embd"), pad="pad_token_id", eps="eps")
    {'dim': 8, 'pad': None}
    """
    found: dict[str, Any] = {}
    for argument, entries in names.items():
        for name in (entries,) if isinstance(entries, str) else entries:
            part, entry = part_of(config, name)
            if entry in part:
                found[argument] = _number(name, part[entry])
                break
    return found


def part_of(config: Config, name: str) -> tuple[Config, str]:
    """The part of a config that has an entry, and the name of the entry in it.

    >>> part_of({"encoder": {"hidden_size": 8}}, "encoder.hidden_size")
    ({'hidden_size': 8}, 'hidden_size')
    >>> part_of({"hidden_sizes": [8, 16]}, "hidden_sizes.0")
    ({'0': 8, '1': 16}, '0')
    """
    *path, entry = name.split(".")
    for step in path:
        inner = config.get(step)
        if isinstance(inner, (list, tuple)):
            inner = {str(index): value for index, value in enumerate(inner)}
        config = inner if isinstance(inner, Mapping) else {}
    return config, entry


def layered_rotaries(config: Config) -> dict[str, RotaryPosition]:
    """`rotary` for layers with full attention and `sliding_rotary` for those with a sliding window.

    >>> config = {"model_type": "gemma3_text", "head_dim": 32, "rope_theta": 1e6, "rope_local_base_freq": 1e4}
    >>> layered_rotaries(config)["sliding_rotary"]
    RotaryPosition(32, base=10000.0, layout='half', rotary_dim=32)
    """
    return {name: rotary_from_config(config, layer_type=layer_type) for name, layer_type in LAYER_TYPES.items()}


def _listed(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _number(name: str, value: Any) -> float | tuple[int, int] | None:
    """Return a number or null unchanged and [height, width] as a tuple."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(side, int) for side in value):
        return value[0], value[1]
    if value is not None and not isinstance(value, (int, float)):
        raise UsageError(f"the config's {name} is {value!r}, but must be a number; restore the config.json")
    return value

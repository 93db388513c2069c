"""`Recipe`: how the input of a published model is built; and the recipes that are data, in two TOML files.

`families.toml` and `images.toml` have the parts of each. Most models differ in names only: which entries of config.json
hold the sizes, and how the tensors are called. A recipe that is data names these, and `composed_text` or
`composed_image` builds it. `defaults.toml` is written by `scripts/make_recipe_defaults.py` from the config classes of
transformers.
"""

import functools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.recipes.composed import composed_text
from rowspace.layers.recipes.composed_images import composed_image
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.models import known_models
from rowspace.layers.rotary.position import RotaryPosition

__all__ = [
    "Config",
    "Family",
    "Recipe",
    "TensorNames",
    "data_recipes",
    "defaults_of",
    "known_families",
    "layered_rotaries",
    "part_of",
    "pick_renamed",
    "rotations",
]

Config = Mapping[str, Any]
TensorNames = Mapping[str, str | Sequence[str]]
# The first release of BERT called the weight and bias of a norm gamma and beta: bert-base-uncased still has these.
OLD = {"weight": "gamma", "bias": "beta"}
LAYER_TYPES = {"rotary": "full_attention", "sliding_rotary": "sliding_attention"}
TEXT, IMAGES, DEFAULTS = (Path(__file__).with_name(f"{name}.toml") for name in ("families", "images", "defaults"))
TEXT_SIZES = {
    "vocab_size": ("vocab_size",),
    "embedding_dim": ("hidden_size", "n_embd", "d_model"),
    "padding_idx": ("pad_token_id",),
}
IMAGE_SIZES = {
    "embedding_dim": ("hidden_size",),
    "image_size": ("image_size",),
    "patch_size": ("patch_size",),
    "channels": ("num_channels",),
}
REQUIRED = ("vocab_size", "embedding_dim", "image_size", "patch_size")


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


@dataclass(frozen=True)
class Family:
    """Model types with the same input.

    - `config`: arguments of `TextParts` or `ImageParts` → entries of config.json, of which the first existing one is
      used.
    - `fixed`: arguments that no config has.
    - `tensors`: modules or parameters of the input → their names in the checkpoint.
    - `only`: entries that must have one value, since the input is another one for other values.
    - `rotated`: model type → the part of config.json with the rotation, and the model type of that part.
    - `unrotated`: an entry that turns the rotation of the type off.
    - `images`: whether the parts are `ImageParts`.
    """

    types: tuple[str, ...]
    tensors: Mapping[str, Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, Any] = field(default_factory=dict)
    rotated: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    unrotated: str = ""
    images: bool = False

    @property
    def entries(self) -> dict[str, tuple[str, ...]]:
        """The entries of config.json for each argument."""
        given = {name: (names,) if isinstance(names, str) else tuple(names) for name, names in self.config.items()}
        return {
            name: names
            for name, names in {**(IMAGE_SIZES if self.images else TEXT_SIZES), **given}.items()
            if name not in self.fixed
        }


@functools.cache
def known_families() -> Mapping[str, Family]:
    """The families of both tables, by name."""
    return {
        name if path is TEXT else f"{name} (images)": Family(**facts, images=path is IMAGES)
        for path in (TEXT, IMAGES)
        for name, facts in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


@functools.cache
def _defaults() -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))
    return found


def defaults_of(kind: str) -> dict[str, Any]:
    """The entries that a config.json of this model type may lack, with the values of its class in transformers."""
    return dict(_defaults().get(kind, {}))


def data_recipes() -> dict[str, Recipe]:
    """The recipes that are data, by model type."""
    return {
        kind: Recipe(
            composed_image if family.images else composed_text, partial(_arguments, family, kind), family.tensors
        )
        for family in known_families().values()
        for kind in family.types
    }


def _arguments(family: Family, kind: str, config: Config) -> dict[str, Any]:
    """The arguments of the builder of a family from a config.json."""
    defaults = defaults_of(kind)
    _check_only(family, kind, {**defaults, **config})
    is_padded = defaults.pop("padded", False)
    entries = {name: names for name, names in family.entries.items() if is_padded or name != "padding_idx"}
    parts = {**pick_renamed(defaults, **entries), **pick_renamed(config, **entries), **family.fixed}
    for name in REQUIRED:
        if name in entries and parts.get(name) is None:
            raise UsageError(f"the config has no {' or '.join(entries[name])}; restore the config.json")
    if family.images:
        return {"parts": parts}
    if config.get(family.unrotated):
        return {"parts": parts}
    part, kind = family.rotated.get(kind, ("", kind))
    rotated = part_of(config, f"{part}.")[0] if part else config
    return {"parts": parts, "attention": rotations({**rotated, "model_type": kind})}


def _check_only(family: Family, kind: str, config: Config) -> None:
    """Raise for an option of a model that its recipe does not have."""
    for entry, value in family.only.items():
        if (config.get(entry) or False) != value:  # null is false
            raise UsageError(
                f"the config of a {kind!r} has {entry}: {config.get(entry)!r}, but its recipe is for {value!r}; "
                f"compose the input with InputEmbedding"
            )


def rotations(config: Config) -> dict[str, Any]:
    """The rotations of a model by the name of their attribute; none for a type without one.

    >>> rotations({"model_type": "gemma2"})
    {'rotary': RotaryPosition(256, base=10000.0, layout='half', rotary_dim=256)}
    """
    model = known_models().get(str(config.get("model_type")))
    if model is None:
        return {}
    if not model.layers:
        found = {"rotary": rotary_from_config(config)}
        if model.indexer_layout is not None:
            found["indexer_rotary"] = rotary_from_config(config, layout=model.indexer_layout)
        return found
    return {
        f"{layer.removesuffix('_attention')}_rotary".removeprefix("full_"): rotary_from_config(config, layer_type=layer)
        for layer in model.layers
    }


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

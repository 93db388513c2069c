"""The recipes that are data: `families.toml` and `images.toml` have the parts of each.

Most models differ in names only: which entries of config.json hold the sizes, and how the tensors are called. A recipe
that is data names these, and `composed_text` or `composed_image` builds it. `defaults.toml` is written by
`scripts/make_recipe_defaults.py` from the config classes of transformers.
"""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rowspace.errors import UsageError
from rowspace.layers.recipes.composed import composed_text
from rowspace.layers.recipes.composed_images import composed_image
from rowspace.layers.recipes.recipe import Config, Recipe, part_of, pick_renamed
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.models import known_models

__all__ = ["Family", "data_recipes", "defaults_of", "known_families", "rotations"]

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

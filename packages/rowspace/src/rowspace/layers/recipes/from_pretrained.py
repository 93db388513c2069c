"""The input of a published model: `from_config` builds it from a config.json, `from_checkpoint` from a folder."""

import difflib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, Unpack

import torch
from torch import Tensor, nn

from rowspace._base.options import shows_options
from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.layers.arguments import Factory, one_sentence
from rowspace.layers.recipes.bert import MODERNBERT
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.layers.recipes.encoder_decoder import T5
from rowspace.layers.recipes.families import Config, Recipe, data_recipes
from rowspace.layers.recipes.gpt2 import MPT

__all__ = ["RECIPES", "from_checkpoint", "from_config"]

RECIPES: Mapping[str, Recipe] = {
    "modernbert": MODERNBERT,
    "modernbert-decoder": MODERNBERT,
    "mpt": MPT,
    "mt5": T5,
    "switch_transformers": T5,
    "t5": T5,
    **data_recipes(),
}
"""The recipes by the `model_type` of config.json."""

# Entries missing in a config.json have the defaults of its class in transformers. These are the ones of recipes with
# code that differ from the defaults of the recipe, which are those of a published model.
CONFIG_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "mpt": {"vocab_size": 50368, "embedding_dim": 2048, "num_heads": 16},
    "mt5": {"vocab_size": 250112, "num_heads": 6},
    "switch_transformers": {"embedding_dim": 768, "num_heads": 12},
}


PARTS = ("text", "vision", "image", "backbone", "encoder", "language", "vlm")
OTHER_PARTS = PARTS[2:]  # are looked for in models without text and vision
# Models that change the input of a part: hashed n-grams of bytes (BLT), positions within phrases (Grounding DINO).
CHANGED_PARTS = ("blt", "grounding-dino", "mm-grounding-dino")


@shows_options(Factory)
def from_config(config: Config, *, part: str | None = None, **factory: Unpack[Factory]) -> nn.Module:
    """Build the input of a published model from its config, with new weights.

    Args:
        config: config.json as a dict.
        part: "text" or "vision" for a model with both (CLIP, SigLIP).
        **factory: `device` and `dtype` of the parameters.

    Returns:
        An `InputEmbedding` or `ImageEmbedding`.

    Raises:
        UsageError: For a model without a recipe, with a list of recipes, or an invalid config or part.

    >>> from_config({"model_type": "gpt2", "n_embd": 8, "n_positions": 16, "vocab_size": 100}).positions
    LearnedPosition(16, 8, offset=0, position_ids_from='length')
    """
    recipe, config = _recipe_of(config, part)
    return recipe.build(**_arguments(recipe, config), **factory)


def from_checkpoint(path: str | PathLike[str], *, part: str | None = None) -> nn.Module:
    """Load the input of a published model from a folder.

    Only the tensors of the input are read, so the memory needed is theirs plus a few MB. No code and no pickle of the
    checkpoint runs.

    Args:
        path: A folder with config.json and safetensors, sharded or not: written by `save_pretrained` of
            transformers, a snapshot in the cache of huggingface_hub, or another copy of a repository of the Hub.
        part: As in `from_config`.

    Returns:
        An `InputEmbedding` or `ImageEmbedding` on the CPU in eval mode, with the weights in their dtype.

    Raises:
        FileFormatError: If the folder is damaged, weights and config do not match, or a file is a link out of it.
        UsageError: If `path` is not a folder, or for a model without a recipe or an invalid part.

    >>> from_checkpoint("no such folder")
    Traceback (most recent call last):
    rowspace.errors.UsageError: no such folder is not a folder; pass a local copy of the model's repository
    """
    checkpoint = Checkpoint(path)
    recipe, config = _recipe_of(checkpoint.config, part)
    arguments = _arguments(recipe, config)
    with torch.device("meta"), one_sentence(f"{path}: no model can be built from config.json", FileFormatError):
        module = recipe.build(**arguments)  # only shapes: the checkpoint has the weights
    weights = {
        name: _fitted(checkpoint, recipe.endings(name), parameter) for name, parameter in module.state_dict().items()
    }
    module.load_state_dict(weights, assign=True)
    return module.eval()


def _recipe_of(config: Config, part: str | None) -> tuple[Recipe, Config]:
    """The recipe for a config or a part of it, and the config of that part."""
    kind = str(config.get("model_type"))
    if kind in RECIPES and part is None:
        return RECIPES[kind], config
    parts = _parts(config)
    if part is None and len(parts) == 1:
        (part,) = parts
    if part in parts:
        return parts[part]
    if parts:
        raise UsageError(f"part is {part!r}, but a {kind!r} has {' and '.join(map(repr, parts))}; pass one of them")
    if kind in RECIPES:
        raise UsageError(f"part is {part!r}, but a {kind!r} has no parts; omit it")
    if (text := f"{kind}_text") in RECIPES and "hidden_size" in config and part in (None, "text"):
        return RECIPES[text], {**config, "model_type": text}  # as Qwen2-VL and GLM-4V were released
    raise UsageError(
        f"model_type is {kind!r}, which has no recipe ({similar_names(kind, RECIPES)}RECIPES has all names); compose "
        f"the input with InputEmbedding, or open its table alone with rowspace.load"
    )


def similar_names(kind: str, names: Iterable[str]) -> str:
    """A hint at model types with a similar name.

    >>> similar_names("llamas", ["bert", "llama"])
    'similar names: llama; '
    """
    found = difflib.get_close_matches(kind, list(names), n=3)
    return f"similar names: {', '.join(found)}; " if found else ""


def _arguments(recipe: Recipe, config: Config) -> dict[str, Any]:
    """The arguments of the recipe, with the defaults of the model type for missing entries."""
    return {**CONFIG_DEFAULTS.get(str(config.get("model_type")), {}), **recipe.arguments(config)}


def _parts(config: Config) -> dict[str, tuple[Recipe, Config]]:
    """The parts that have a recipe, by name."""
    found: dict[str, tuple[Recipe, Config]] = {}
    for part in () if config.get("model_type") in CHANGED_PARTS else PARTS:
        inner = config.get(f"{part}_config") or config.get(part)
        if isinstance(inner, Mapping) and not (part in OTHER_PARTS and found):
            kind = str(inner.get("model_type") or f"{config.get('model_type')}_{part}_model")
            found |= {part: (RECIPES[kind], inner)} if kind in RECIPES else _parts(inner)
    return found


def _fitted(checkpoint: Checkpoint, endings: tuple[str, ...], parameter: Tensor) -> Tensor:
    """The tensor for a parameter, in its shape: some models have an additional axis of 1."""
    name, tensor = _read(checkpoint, endings)
    if not tensor.is_floating_point() or not _fits(tensor, parameter):
        raise FileFormatError(
            f"{checkpoint.folder}: tensor {name!r} is {tensor.dtype} of shape {tuple(tensor.shape)}, but config.json "
            f"requires floats of shape {tuple(parameter.shape)}; check that both are of the same model"
        )
    if tensor.dim() == 4 and tensor.flatten(0, -2).shape != parameter.shape == tensor[0].flatten(1).mT.shape:
        tensor = tensor.flatten(2).mT  # (1, d, height, width)
    return tensor.reshape(parameter.shape)


def _read(checkpoint: Checkpoint, endings: tuple[str, ...]) -> tuple[str, Tensor]:
    """A tensor with its name, one without its first row, as in "positions[1:]", or several together ("a + b")."""
    if endings[0].endswith("[1:]"):
        name = checkpoint.find([endings[0].removesuffix("[1:]")])
        tensor = checkpoint.read(name)
        return name, tensor[..., 1:, :] if tensor.dim() > 1 else tensor
    if " + " in endings[0]:
        names = [checkpoint.find([part]) for part in endings[0].split(" + ")]
        try:
            return " + ".join(names), torch.cat([checkpoint.read(part) for part in names], dim=-2)
        except (IndexError, RuntimeError) as error:
            raise FileFormatError(
                f"{checkpoint.folder}: {join_names(names)} are parts of one table, but of shapes that do not fit "
                f"together ({reason_of(error)}); restore the file"
            ) from None
    name = checkpoint.find(endings)
    return name, checkpoint.read(name)


def _fits(tensor: Tensor, parameter: Tensor) -> bool:
    """Whether the shapes are equal up to axes of 1, or to a grid of rows, or of columns, that is one axis of it."""
    if _without_ones(tensor) == _without_ones(parameter):
        return True
    if tensor.dim() == 4 and len(tensor) == 1 and tensor[0].flatten(1).mT.shape == parameter.shape:
        return True
    return tensor.dim() > 2 and tensor.flatten(0, -2).shape == parameter.shape


def _without_ones(tensor: Tensor) -> tuple[int, ...]:
    return tuple(size for size in tensor.shape if size != 1)

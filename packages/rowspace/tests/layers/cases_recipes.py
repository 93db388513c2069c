"""Tiny inputs of published models for the contract suite, called with two texts (one padded) or two images.

The images differ from the image size of the model, so positions are resampled.
"""

from functools import partial

import torch
from tests.layers.case import Case
from torch import nn

from rowspace.layers import (
    Concatenation,
    GridPosition,
    ImageEmbedding,
    InputEmbedding,
    LearnedPosition,
    PatchEmbedding,
    RotaryPosition,
    TokenEmbedding,
    recipes,
)

ROTARY = {"llama", "mistral", "qwen", "gemma", "modernbert"}
IMAGES = {"vit", "deit", "dinov2", "clip_vision", "siglip_vision"}
SETTINGS = {
    "albert": {"inner_dim": 2, "max_positions": 4},
    "bert": {"max_positions": 4},
    "bloom": {"num_heads": 2},
    "clip_vision": {"norm_eps": 0.1},  # otherwise the norm magnifies rounding errors of its small initial rows
    "clip_text": {"max_positions": 4},
    "dinov2": {"registers": 2, "mask": False},
    "gpt2": {"max_positions": 4},
    "modernbert": {"padding_idx": 0},
    "mpt": {"num_heads": 2},
    "opt": {"max_positions": 4},
    "roberta": {"max_positions": 4},
    "siglip_text": {"max_positions": 4},
    "t5": {"num_heads": 2},
}
WITH_SEGMENTS = {"albert", "bert"}


class FirstLayer(nn.Module):
    """ids → the input, rotated like queries and keys of one head."""

    def __init__(self, embed: InputEmbedding) -> None:
        super().__init__()
        self.embed = embed

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        rows = self.embed(ids)
        heads = rows.unsqueeze(1)  # (batch, 1 head, seq, d)
        return rows, *self.embed.rotary(heads, heads)


def built(name: str) -> nn.Module:
    """A tiny model of this recipe, ten rows of dimension six, with its rotation, if any."""
    settings = dict(SETTINGS.get(name, {}))
    if name in IMAGES:
        return getattr(recipes, name)(6, image_size=8, patch_size=4, **settings)
    if name in ROTARY:
        settings["rotary"] = RotaryPosition(6)
    embed = getattr(recipes, name)(10, 6, **settings)
    return FirstLayer(embed) if name in ROTARY else embed


def texts() -> tuple[torch.Tensor]:
    """(2, 4) ids below 10."""
    return (torch.tensor([[2, 2, 5, 1], [9, 1, 2, 1]]),)


def texts_in_segments() -> tuple[torch.Tensor, torch.Tensor]:
    """The same, each of two segments."""
    return (*texts(), torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]]))


NOT_RECIPES = {
    "RECIPES",
    "PerLayerInput",
    "from_checkpoint",
    "from_config",
    "head_from_checkpoint",
    "head_types",
    "per_layer_from_checkpoint",
    "tied_from_checkpoint",
}
RECIPE_NAMES = sorted(set(recipes.__all__) - NOT_RECIPES)


def images() -> tuple[torch.Tensor]:
    """(2, 3, 12, 8): two images of 3 × 2 patches of 4."""
    return (torch.rand(2, 3, 12, 8, generator=torch.Generator().manual_seed(0)),)


def inputs_of(name: str) -> tuple[torch.Tensor, ...]:
    """The inputs of a recipe."""
    if name in IMAGES:
        return images()
    return texts_in_segments() if name in WITH_SEGMENTS else texts()


CASES = [
    *(Case(name, partial(built, name), partial(inputs_of, name)) for name in RECIPE_NAMES),
    Case("InputEmbedding", lambda: InputEmbedding(tokens=TokenEmbedding(10, 4), norm=nn.LayerNorm(4)), texts),
    Case(
        "Concatenation", lambda: Concatenation(4, tokens=TokenEmbedding(10, 3), positions=LearnedPosition(4, 2)), texts
    ),
    Case("GridPosition", lambda: GridPosition((2, 2), 6), lambda: ((3, 2),)),
    Case("GridPosition, antialias", lambda: GridPosition((4, 4), 6, antialias=True), lambda: ((3, 2),)),
    Case(
        "ImageEmbedding",
        lambda: ImageEmbedding(
            patches=PatchEmbedding(4, 3, 6), positions=GridPosition((3, 2), 6, prefix=0), norm=nn.LayerNorm(6, eps=0.1)
        ),
        images,
    ),
    Case("opt narrow", lambda: recipes.opt(10, 6, inner_dim=2, max_positions=4), texts),
]

"""DINOv2: ViT with a mask token, and in its later release registers, which have no position."""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.pixels.image_embedding import ImageEmbedding
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.pixels.prefix_tokens import PrefixTokens
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.recipes.vit import TENSORS as VIT_TENSORS
from rowspace.layers.recipes.vit import arguments as vit_arguments


def dinov2(
    embedding_dim: int = 768,
    *,
    image_size: Size = 518,
    patch_size: Size = 14,
    registers: int = 0,
    channels: int = 3,
    dropout: float = 0.0,
    mask: bool = True,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """DINOv2's input: images (batch, C, H, W) → (batch, 1 + registers + patches, d). B/14 by default.

    The release with registers has 4. Source: Oquab et al. 2023, Darcet et al. 2024; bit for bit transformers'
    `Dinov2Embeddings` and `Dinov2WithRegistersEmbeddings`; for images of other sizes to 1e-6.

    >>> import torch
    >>> dinov2(8, registers=4)(torch.rand(1, 3, 224, 224)).shape
    torch.Size([1, 261, 8])
    """
    grid = grid_of(image_size, patch_size)
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, form="convolution", **factory),
        tokens=PrefixTokens(embedding_dim, registers=registers, mask=mask, **factory),
        positions=GridPosition(grid, embedding_dim, antialias=registers > 0, **factory),
        dropout=dropout,
        crop=True,
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `dinov2`, from a config.json; that of registers says nothing of a mask token, which is always there."""
    return vit_arguments(config) | pick_renamed(config, registers="num_register_tokens", mask="use_mask_token")


def registers_arguments(config: Config) -> dict[str, Any]:
    """Those of `dinov2` with registers, from a config.json."""
    return arguments({"num_register_tokens": 4, **config})


TENSORS: TensorNames = {
    **VIT_TENSORS,
    "tokens.mask_token": "embeddings.mask_token",
    "tokens.register_tokens": "embeddings.register_tokens",
}

DINOV2 = Recipe(dinov2, arguments, TENSORS)
DINOV2_WITH_REGISTERS = Recipe(dinov2, registers_arguments, TENSORS)

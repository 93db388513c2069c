"""ViT: patches by a convolution, a class token in front, learned positions, dropout."""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.pixels.image_embedding import ImageEmbedding
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.pixels.prefix_tokens import PrefixTokens
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed


def vit(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 16,
    channels: int = 3,
    dropout: float = 0.0,
    mask: bool = False,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """ViT's input: images (batch, C, H, W) → (batch, 1 + patches, d). B/16 by default.

    `image_size` is that of training: images of another size get fitted positions. `mask` adds a mask token, for
    pretraining. Source: Dosovitskiy et al. 2020, section 3.1; bit for bit transformers' `ViTEmbeddings`.

    >>> import torch
    >>> vit(8)(torch.rand(1, 3, 224, 224)).shape
    torch.Size([1, 197, 8])
    """
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, form="convolution", **factory),
        tokens=PrefixTokens(embedding_dim, mask=mask, **factory),
        positions=GridPosition(grid_of(image_size, patch_size), embedding_dim, **factory),
        dropout=dropout,
        crop=True,
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `vit`, from a config.json."""
    return pick_renamed(
        config,
        embedding_dim="hidden_size",
        image_size="image_size",
        patch_size="patch_size",
        channels="num_channels",
        dropout="hidden_dropout_prob",
    )


TENSORS: TensorNames = {
    "patches.weight": "embeddings.patch_embeddings.projection.weight",
    "patches.bias": "embeddings.patch_embeddings.projection.bias",
    "tokens.class_token": "embeddings.cls_token",
    "positions.weight": "embeddings.position_embeddings",
}

VIT = Recipe(vit, arguments, TENSORS)

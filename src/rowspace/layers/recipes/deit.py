"""DeiT: ViT with a second token in front, which learns from a teacher."""

from typing import Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.pixels.image_embedding import ImageEmbedding
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.pixels.prefix_tokens import PrefixTokens
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.recipes.recipe import Recipe, TensorNames
from rowspace.layers.recipes.vit import TENSORS as VIT_TENSORS
from rowspace.layers.recipes.vit import arguments


def deit(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 16,
    channels: int = 3,
    dropout: float = 0.0,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """DeiT's input: images (batch, C, H, W) → (batch, 2 + patches, d): class, distillation, patches. B/16 by default.

    Source: Touvron et al. 2021; bit for bit transformers' `DeiTEmbeddings`.

    >>> import torch
    >>> deit(8)(torch.rand(1, 3, 224, 224)).shape
    torch.Size([1, 198, 8])
    """
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, form="convolution", **factory),
        tokens=PrefixTokens(embedding_dim, distillation=True, **factory),
        positions=GridPosition(grid_of(image_size, patch_size), embedding_dim, prefix=2, **factory),
        dropout=dropout,
        crop=True,
    )


TENSORS: TensorNames = {**VIT_TENSORS, "tokens.distillation_token": "embeddings.distillation_token"}

DEIT = Recipe(deit, arguments, TENSORS)

"""Vision transformers: ViT, DeiT, DINOv2."""

from typing import Unpack

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.pixels.image_embedding import ImageEmbedding, PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition, Size, grid_of


@shows_options(Factory)
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

    Class token and patches plus learned positions, dropout. `image_size` is that of training; positions are resampled
    for other sizes. `mask` adds a mask token for pretraining.
    Source: Dosovitskiy et al. 2020, section 3.1; bit for bit transformers' `ViTEmbeddings`.

    Args:
        embedding_dim: d, the dimension of hidden states.
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        channels: Channels of an image.
        dropout: Probability of dropout.
        mask: Whether there is a mask token.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

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


@shows_options(Factory)
def deit(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 16,
    channels: int = 3,
    dropout: float = 0.0,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """DeiT's input: images (batch, C, H, W) → (batch, 2 + patches, d). B/16 by default.

    As ViT's, with a distillation token after the class token.
    Source: Touvron et al. 2021; bit for bit transformers' `DeiTEmbeddings`.

    Args:
        embedding_dim: d, the dimension of hidden states.
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        channels: Channels of an image.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

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


@shows_options(Factory)
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

    As ViT's, with a mask token, and in the later release 4 registers, which have no positions.
    Source: Oquab et al. 2023, Darcet et al. 2024; bit for bit transformers' `Dinov2Embeddings` and
    `Dinov2WithRegistersEmbeddings`; within 1e-6 for images of other sizes.

    Args:
        embedding_dim: d, the dimension of hidden states.
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        registers: Number of register tokens.
        channels: Channels of an image.
        dropout: Probability of dropout.
        mask: Whether there is a mask token.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

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

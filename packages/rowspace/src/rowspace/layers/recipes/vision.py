"""Models of images, ViT, DeiT and DINOv2, and of text and images, CLIP and SigLIP."""

from typing import Unpack

from torch import nn

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.pixels.image_embedding import ImageEmbedding, PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


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


@shows_options(Factory)
def clip_text(
    vocab_size: int = 49408, embedding_dim: int = 512, *, max_positions: int = 77, **factory: Unpack[Factory]
) -> InputEmbedding:
    """CLIP's input for text: ids (batch, seq) → (batch, seq, d), token + position. B/32 by default.

    Source: Radford et al. 2021; bit for bit transformers' `CLIPTextEmbeddings`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        max_positions: Maximum length of a text.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> clip_text(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
    )


@shows_options(Factory)
def clip_vision(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 32,
    channels: int = 3,
    norm_eps: float = 1e-5,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """CLIP's input for images: (batch, C, H, W) → (batch, 1 + patches, d). B/32 by default.

    Patches without a bias, class token, positions, norm.
    Source: Radford et al. 2021; bit for bit transformers' `CLIPVisionEmbeddings` and the norm after it.

    Args:
        embedding_dim: d, the dimension of hidden states.
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        channels: Channels of an image.
        norm_eps: Epsilon of the norm.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> clip_vision(8)(torch.rand(1, 3, 224, 224)).shape
    torch.Size([1, 50, 8])
    """
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, bias=False, form="convolution", **factory),
        tokens=PrefixTokens(embedding_dim, **factory),
        positions=GridPosition(grid_of(image_size, patch_size), embedding_dim, **factory),
        norm=nn.LayerNorm(embedding_dim, eps=norm_eps, **factory),
        crop=True,
    )


@shows_options(Factory)
def siglip_text(
    vocab_size: int = 32000, embedding_dim: int = 768, *, max_positions: int = 64, **factory: Unpack[Factory]
) -> InputEmbedding:
    """SigLIP's input for text: ids (batch, seq) → (batch, seq, d), token + position. Base by default.

    Source: Zhai et al. 2023; bit for bit transformers' `SiglipTextEmbeddings`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        max_positions: Maximum length of a text.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> siglip_text(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return clip_text(vocab_size, embedding_dim, max_positions=max_positions, **factory)


@shows_options(Factory)
def siglip_vision(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 16,
    channels: int = 3,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """SigLIP's input for images: (batch, C, H, W) → (batch, patches, d), patches + positions. B/16 by default.

    Incomplete patches are dropped: so400m has 27 · 27 patches of 14 in images of 384.
    Source: Zhai et al. 2023; bit for bit transformers' `SiglipVisionEmbeddings`.

    Args:
        embedding_dim: d, the dimension of hidden states.
        image_size: Side of a square in pixels, or (height, width).
        patch_size: Side of a square in pixels, or (height, width).
        channels: Channels of an image.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> siglip_vision(8, image_size=384, patch_size=14)(torch.rand(1, 3, 384, 384)).shape
    torch.Size([1, 729, 8])
    """
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, form="convolution", **factory),
        positions=GridPosition(grid_of(image_size, patch_size), embedding_dim, prefix=0, **factory),
        crop=True,
    )

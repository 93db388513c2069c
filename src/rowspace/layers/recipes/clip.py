"""CLIP's two inputs: text is token + position; an image is patches without a bias, a class token, positions, a norm."""

from typing import Any, Unpack

from torch import nn

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.pixels.image_embedding import ImageEmbedding
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.pixels.prefix_tokens import PrefixTokens
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def clip_text(
    vocab_size: int = 49408, embedding_dim: int = 512, *, max_positions: int = 77, **factory: Unpack[Factory]
) -> InputEmbedding:
    """CLIP's input for text: ids (batch, seq) → (batch, seq, d). B/32 by default.

    Source: Radford et al. 2021; bit for bit transformers' `CLIPTextEmbeddings`.

    >>> import torch
    >>> clip_text(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
    )


def clip_vision(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 32,
    channels: int = 3,
    norm_eps: float = 1e-5,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """CLIP's input for images: (batch, C, H, W) → (batch, 1 + patches, d), after the norm. B/32 by default.

    Source: Radford et al. 2021; bit for bit transformers' `CLIPVisionEmbeddings` and the norm that follows.

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


def text_arguments(config: Config) -> dict[str, Any]:
    """Those of `clip_text`, from the text part of a config.json."""
    names = {"vocab_size": "vocab_size", "embedding_dim": "hidden_size", "max_positions": "max_position_embeddings"}
    return pick_renamed(config, **names)


def vision_arguments(config: Config) -> dict[str, Any]:
    """Those of `clip_vision`, from the vision part of a config.json."""
    names = {"embedding_dim": "hidden_size", "image_size": "image_size", "patch_size": "patch_size"}
    return pick_renamed(config, channels="num_channels", norm_eps="layer_norm_eps", **names)


# With both parts in one checkpoint each has its own name in front.
TEXT_TENSORS: TensorNames = {
    "tokens.weight": "embeddings.token_embedding.weight",
    "positions.weight": ("text_model.embeddings.position_embedding.weight", "embeddings.position_embedding.weight"),
}
VISION_TENSORS: TensorNames = {
    "patches.weight": "embeddings.patch_embedding.weight",
    "tokens.class_token": "embeddings.class_embedding",
    "positions.weight": ("vision_model.embeddings.position_embedding.weight", "embeddings.position_embedding.weight"),
    "norm.weight": "pre_layrnorm.weight",  # so it is called
    "norm.bias": "pre_layrnorm.bias",
}

CLIP_TEXT = Recipe(clip_text, text_arguments, TEXT_TENSORS)
CLIP_VISION = Recipe(clip_vision, vision_arguments, VISION_TENSORS)

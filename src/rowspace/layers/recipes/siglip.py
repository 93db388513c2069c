"""SigLIP's two inputs: text is token + position; an image is patches + positions, with no token in front."""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.pixels.image_embedding import ImageEmbedding
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition, Size, grid_of
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.clip import TEXT_TENSORS, VISION_TENSORS, text_arguments
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def siglip_text(
    vocab_size: int = 32000, embedding_dim: int = 768, *, max_positions: int = 64, **factory: Unpack[Factory]
) -> InputEmbedding:
    """SigLIP's input for text: ids (batch, seq) → (batch, seq, d). Base by default.

    Source: Zhai et al. 2023; bit for bit transformers' `SiglipTextEmbeddings`.

    >>> import torch
    >>> siglip_text(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
    )


def siglip_vision(
    embedding_dim: int = 768,
    *,
    image_size: Size = 224,
    patch_size: Size = 16,
    channels: int = 3,
    **factory: Unpack[Factory],
) -> ImageEmbedding:
    """SigLIP's input for images: (batch, C, H, W) → (batch, patches, d). B/16 by default.

    What no whole patch covers is left out: so400m has patches of 14 in images of 384, 27 · 27 of them.
    Source: Zhai et al. 2023; bit for bit transformers' `SiglipVisionEmbeddings`.

    >>> import torch
    >>> siglip_vision(8, image_size=384, patch_size=14)(torch.rand(1, 3, 384, 384)).shape
    torch.Size([1, 729, 8])
    """
    return ImageEmbedding(
        patches=PatchEmbedding(patch_size, channels, embedding_dim, form="convolution", **factory),
        positions=GridPosition(grid_of(image_size, patch_size), embedding_dim, prefix=0, **factory),
        crop=True,
    )


def vision_arguments(config: Config) -> dict[str, Any]:
    """Those of `siglip_vision`, from the vision part of a config.json."""
    names = {"embedding_dim": "hidden_size", "image_size": "image_size", "patch_size": "patch_size"}
    return pick_renamed(config, channels="num_channels", **names)


TENSORS: TensorNames = {**VISION_TENSORS, "patches.bias": "embeddings.patch_embedding.bias"}

SIGLIP_TEXT = Recipe(siglip_text, text_arguments, TEXT_TENSORS)
SIGLIP_VISION = Recipe(siglip_vision, vision_arguments, TENSORS)

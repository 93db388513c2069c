"""Pixels → vectors: patches, prefix tokens, and the complete input of a vision transformer.

Read `patches.py` first, then `image_embedding.py`.
"""

from rowspace.layers.pixels.image_embedding import ImageEmbedding, PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding, pad_to_patches, unfold_patches

__all__ = [
    "ImageEmbedding",
    "PatchEmbedding",
    "PrefixTokens",
    "pad_to_patches",
    "unfold_patches",
]

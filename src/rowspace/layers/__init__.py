"""ids and pixels → vectors → logits → loss: PyTorch modules, one concept a file.

Needs `rowspace[torch]`. Nothing here knows of tables or files, but for `from_checkpoint`.
"""

from rowspace.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.layers needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.layers.cross_entropy import cross_entropy
from rowspace.layers.head import TiedHead, UntiedHead
from rowspace.layers.patches import PatchEmbedding, pad_to_patches, unfold_patches
from rowspace.layers.prefix_tokens import PrefixTokens
from rowspace.layers.resampling import resample_patches, resample_positions

__all__ = [
    "PatchEmbedding",
    "PrefixTokens",
    "TiedHead",
    "UntiedHead",
    "cross_entropy",
    "pad_to_patches",
    "resample_patches",
    "resample_positions",
    "unfold_patches",
]

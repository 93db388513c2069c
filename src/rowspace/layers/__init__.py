"""ids and pixels → vectors → logits → loss: PyTorch modules, one concept a file.

Needs `rowspace[torch]`. Nothing here knows of tables or files, but for `from_checkpoint`.
"""

from rowspace.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.layers needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.layers.constraints import MaxNorm, UnitNorm, apply_constraints, constrain
from rowspace.layers.lookup import lookup
from rowspace.layers.segment import SegmentEmbedding, segments_of
from rowspace.layers.token_embedding import TokenEmbedding

__all__ = [
    "MaxNorm",
    "SegmentEmbedding",
    "TokenEmbedding",
    "UnitNorm",
    "apply_constraints",
    "constrain",
    "lookup",
    "segments_of",
]

"""ids and pixels → vectors → logits → loss: PyTorch modules, one concept a file.

Needs `rowspace[torch]`. Nothing here knows of tables or files, but for `from_checkpoint`.
"""

from rowspace.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.layers needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.layers.adaptive import AdaptiveEmbedding
from rowspace.layers.constraints import MaxNorm, UnitNorm, apply_constraints, constrain
from rowspace.layers.factorised import FactorisedEmbedding
from rowspace.layers.hashed import HashedEmbedding
from rowspace.layers.lookup import lookup
from rowspace.layers.matryoshka import MatryoshkaEmbedding, truncate
from rowspace.layers.quantized import QuantizedEmbedding
from rowspace.layers.quotient_remainder import QuotientRemainderEmbedding
from rowspace.layers.segment import SegmentEmbedding, segments_of
from rowspace.layers.token_embedding import TokenEmbedding

__all__ = [
    "AdaptiveEmbedding",
    "FactorisedEmbedding",
    "HashedEmbedding",
    "MatryoshkaEmbedding",
    "MaxNorm",
    "QuantizedEmbedding",
    "QuotientRemainderEmbedding",
    "SegmentEmbedding",
    "TokenEmbedding",
    "UnitNorm",
    "apply_constraints",
    "constrain",
    "lookup",
    "segments_of",
    "truncate",
]

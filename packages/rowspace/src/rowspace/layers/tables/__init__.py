"""Tables of rows looked up by id: full (`TokenEmbedding`), compact, and the lookup whose gradient they share.

Read `token_embedding.py` first, then `lookup.py`; `reference.py` is the same lookup in NumPy.
"""

from rowspace.layers.tables.adapters import LoraTable, TrainableRows
from rowspace.layers.tables.adaptive import AdaptiveEmbedding
from rowspace.layers.tables.constraints import MaxNorm, UnitNorm, apply_constraints, constrain
from rowspace.layers.tables.factorized import FactorizedEmbedding, QuotientRemainderEmbedding
from rowspace.layers.tables.hashed import HashedEmbedding
from rowspace.layers.tables.lookup import lookup
from rowspace.layers.tables.mapped import MappedEmbedding
from rowspace.layers.tables.matryoshka import MatryoshkaEmbedding, truncate
from rowspace.layers.tables.multi_hot import MultiHotEmbedding
from rowspace.layers.tables.ngrams import ByteNgramEmbedding, HashedNgramEmbedding
from rowspace.layers.tables.quantized import QuantizedEmbedding
from rowspace.layers.tables.token_embedding import SegmentEmbedding, TokenEmbedding, segments_of

__all__ = [
    "AdaptiveEmbedding",
    "ByteNgramEmbedding",
    "FactorizedEmbedding",
    "HashedEmbedding",
    "HashedNgramEmbedding",
    "LoraTable",
    "MappedEmbedding",
    "MatryoshkaEmbedding",
    "MaxNorm",
    "MultiHotEmbedding",
    "QuantizedEmbedding",
    "QuotientRemainderEmbedding",
    "SegmentEmbedding",
    "TokenEmbedding",
    "TrainableRows",
    "UnitNorm",
    "apply_constraints",
    "constrain",
    "lookup",
    "segments_of",
    "truncate",
]

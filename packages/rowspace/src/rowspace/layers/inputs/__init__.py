"""The input of a text model: parts summed or concatenated, norm, dropout; and a fused implementation.

Read `input_embedding.py` first, then `parts.py`; `fused_input.py` and `kernels.py` are the fused implementation.
"""

from rowspace.layers.inputs.concatenation import Concatenation
from rowspace.layers.inputs.input_embedding import InputEmbedding

__all__ = [
    "Concatenation",
    "InputEmbedding",
]

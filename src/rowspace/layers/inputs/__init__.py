"""What a text model computes before its first layer: parts summed or concatenated, norm, dropout; and a fused form.

Read `input_embedding.py` first, then `parts.py`; `fused_input.py` and `kernels.py` are the fused form.
"""

from rowspace.layers.inputs.concatenation import Concatenation
from rowspace.layers.inputs.input_embedding import InputEmbedding

__all__ = [
    "Concatenation",
    "InputEmbedding",
]

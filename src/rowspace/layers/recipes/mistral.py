"""Mistral: rows of a table, and rotary positions in attention, as in Llama."""

from typing import Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.recipes.llama import TENSORS, arguments
from rowspace.layers.recipes.recipe import Recipe
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


def mistral(
    vocab_size: int = 32000,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Mistral's input: ids (batch, seq) → (batch, seq, d); and `.rotary` for its attention. 7B v0.1 by default.

    v0.2 and v0.3 turn with `RotaryPosition(128, base=1e6)`; v0.3 has 32768 rows.
    Source: Jiang et al. 2023; bit for bit transformers' `MistralModel` and its rotation.

    >>> import torch
    >>> mistral(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        attention={"rotary": rotary if rotary is not None else RotaryPosition(128, **factory)},
    )


MISTRAL = Recipe(mistral, arguments, TENSORS)

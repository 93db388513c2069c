"""Qwen 2, 2.5 and 3: rows of a table, and rotary positions in attention, as in Llama."""

from typing import Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.recipes.llama import TENSORS
from rowspace.layers.recipes.llama import arguments as llama_arguments
from rowspace.layers.recipes.recipe import Recipe
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


def qwen(
    vocab_size: int = 151936,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Qwen's input: ids (batch, seq) → (batch, seq, d); and `.rotary` for its attention. Qwen3 8B by default.

    Qwen3 norms each head's queries and keys before it turns them; that is the attention's business. The small models
    tie the head to the table (`TiedHead`), the large ones do not.
    Source: Yang et al. 2024 and 2025; bit for bit transformers' `Qwen2Model` and `Qwen3Model` and their rotation.

    >>> import torch
    >>> qwen(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        attention={"rotary": rotary if rotary is not None else RotaryPosition(128, base=1e6, **factory)},
    )


QWEN2 = Recipe(qwen, llama_arguments, TENSORS)
QWEN3 = Recipe(qwen, llama_arguments, TENSORS)

"""Llama 2 and 3: rows of a table and nothing else; rotary positions are applied to queries and keys in attention.

Mistral and Qwen have the same input, with other sizes.
"""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


def llama(
    vocab_size: int = 32000,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Llama's input: ids (batch, seq) → (batch, seq, d); and `.rotary` for its attention. Llama 2 7B by default.

    Llama 3 is `llama(128256, 4096, rotary=RotaryPosition(128, base=500000.0))`; 3.1 has `scaling=Llama3Scaling(...)`.
    Source: Touvron et al. 2023; bit for bit transformers' `LlamaModel` and its rotation.

    >>> import torch
    >>> embed = llama(100, 8, rotary=RotaryPosition(4))
    >>> q, k = embed.rotary(torch.ones(1, 2, 3, 4), torch.ones(1, 1, 3, 4))
    >>> embed(torch.tensor([[5, 6, 7]])).shape, q.shape
    (torch.Size([1, 3, 8]), torch.Size([1, 2, 3, 4]))
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        attention={"rotary": rotary if rotary is not None else RotaryPosition(128, **factory)},
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `llama`, from a config.json."""
    names = {"vocab_size": "vocab_size", "embedding_dim": "hidden_size", "padding_idx": "pad_token_id"}
    return {**pick_renamed(config, **names), "rotary": rotary_from_config(config)}


TENSORS = {"tokens.weight": "embed_tokens.weight"}

LLAMA = Recipe(llama, arguments, TENSORS)

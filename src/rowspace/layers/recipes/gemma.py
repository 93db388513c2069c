"""Gemma 1, 2 and 3: rows times √d, where √d is first rounded to the weight's dtype; rotary positions in attention.

Gemma 3 has two kinds of layers, which turn by different frequencies: `.rotary` and `.sliding_rotary`.
"""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.recipes.layered_rotary import layered_rotaries
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.rotary.config import rotary_from_config
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


def gemma(
    vocab_size: int = 256000,
    embedding_dim: int = 3072,
    *,
    padding_idx: int | None = 0,
    rotary: RotaryPosition | None = None,
    sliding_rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Gemma's input: ids (batch, seq) → (batch, seq, d); and `.rotary` for its attention. Gemma 7B by default.

    In bfloat16 √3072 = 55.43 is 55.5. The head is `TiedHead(embed.tokens)`, which reads rows without it. Gemma 3 turns
    with `RotaryPosition(256, base=1e6)`, and in layers of a sliding window with `sliding_rotary=RotaryPosition(256)`.
    Source: Gemma Team 2024, 2025; bit for bit transformers' Gemma models, in bfloat16 too.

    >>> import torch
    >>> gemma(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    attention = {"rotary": rotary if rotary is not None else RotaryPosition(256, **factory)}
    if sliding_rotary is not None:
        attention["sliding_rotary"] = sliding_rotary
    tokens = TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, scale="rounded_sqrt", **factory)
    return InputEmbedding(tokens=tokens, attention=attention)


def arguments(config: Config) -> dict[str, Any]:
    """Those of `gemma`, from the config.json of Gemma 1 or 2."""
    return {**_sizes(config), "rotary": rotary_from_config(config)}


def gemma3_arguments(config: Config) -> dict[str, Any]:
    """Those of `gemma`, from the config.json of a Gemma 3."""
    return {**_sizes(config), **layered_rotaries(config)}


def _sizes(config: Config) -> dict[str, Any]:
    return pick_renamed(config, vocab_size="vocab_size", embedding_dim="hidden_size", padding_idx="pad_token_id")


TENSORS = {"tokens.weight": "embed_tokens.weight"}

GEMMA = Recipe(gemma, arguments, TENSORS)
GEMMA3 = Recipe(gemma, gemma3_arguments, TENSORS)

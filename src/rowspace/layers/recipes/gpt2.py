"""GPT-2: token + position, dropout; no norm here, since each of its blocks begins with one."""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def gpt2(
    vocab_size: int = 50257,
    embedding_dim: int = 768,
    *,
    max_positions: int = 1024,
    dropout: float = 0.1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """GPT-2's input: ids (batch, seq) → (batch, seq, d). Small by default; the head is `TiedHead(embed.tokens)`.

    Source: Radford et al. 2019; bit for bit transformers' `GPT2Model`.

    >>> import torch
    >>> gpt2(100, 8)(torch.tensor([[5, 6, 7]]), start=10).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
        dropout=dropout,
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `gpt2`, from a config.json."""
    return pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim=("n_embd", "hidden_size"),
        max_positions=("n_positions", "max_position_embeddings"),
        dropout="embd_pdrop",
    )


GPT2 = Recipe(gpt2, arguments, {"tokens.weight": "wte.weight", "positions.weight": "wpe.weight"})

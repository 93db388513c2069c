"""BLOOM: rows and a LayerNorm; ALiBi on the scores, in attention."""

from typing import Any, Unpack

from torch import nn

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def bloom(
    vocab_size: int = 250880,
    embedding_dim: int = 1024,
    *,
    num_heads: int = 16,
    norm_eps: float = 1e-5,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """BLOOM's input: ids (batch, seq) → (batch, seq, d); `.alibi.key_bias(mask)` for its scores. 560M by default.

    Source: BigScience 2022; bit for bit transformers' `BloomModel` and `build_alibi_tensor`.

    >>> import torch
    >>> embed = bloom(100, 8, num_heads=2)
    >>> embed(torch.tensor([[5, 6, 7]])).shape, embed.alibi.key_bias(torch.ones(1, 3)).shape
    (torch.Size([1, 3, 8]), torch.Size([1, 2, 1, 3]))
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        norm=nn.LayerNorm(embedding_dim, eps=norm_eps, **factory),
        attention={"alibi": Alibi(num_heads, rounding="bloom", **factory)},
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `bloom`, from a config.json, in its older words too."""
    return pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim=("n_embed", "hidden_size"),
        num_heads=("n_head", "num_attention_heads"),
        norm_eps="layer_norm_epsilon",
    )


TENSORS = {
    "tokens.weight": "word_embeddings.weight",
    "norm.weight": "word_embeddings_layernorm.weight",
    "norm.bias": "word_embeddings_layernorm.bias",
}

BLOOM = Recipe(bloom, arguments, TENSORS)

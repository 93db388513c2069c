"""Decoders with ALiBi: BLOOM, MPT."""

from typing import Any, Unpack

from torch import nn

from rowspace._base.options import shows_options
from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


@shows_options(Factory)
def bloom(
    vocab_size: int = 250880,
    embedding_dim: int = 1024,
    *,
    num_heads: int = 16,
    norm_eps: float = 1e-5,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """BLOOM's input: ids (batch, seq) → (batch, seq, d), rows and a LayerNorm. 560M by default.

    `.alibi.key_bias(mask)` is the bias for its attention scores.
    Source: BigScience 2022; bit for bit transformers' `BloomModel` and `build_alibi_tensor`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        num_heads: Number of attention heads.
        norm_eps: Epsilon of the norm.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

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


@shows_options(Factory)
def mpt(
    vocab_size: int = 50432,
    embedding_dim: int = 4096,
    *,
    num_heads: int = 32,
    max_bias: float = 8.0,
    dropout: float = 0.0,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """MPT's input: ids (batch, seq) → (batch, seq, d), rows and dropout. 7B by default.

    `.alibi(queries, keys)` is the bias for its attention scores.
    Source: MosaicML 2023 (llm-foundry); bit for bit transformers' `MptModel` and `build_mpt_alibi_tensor`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        num_heads: Number of attention heads.
        max_bias: Exponent of the last slope, see `alibi_slopes`.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> embed = mpt(100, 8, num_heads=2)
    >>> embed(torch.tensor([[5, 6, 7]])).shape, embed.alibi(torch.tensor([2]), torch.arange(3)).shape
    (torch.Size([1, 3, 8]), torch.Size([2, 1, 3]))
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        dropout=dropout,
        attention={"alibi": Alibi(num_heads, max_bias=max_bias, **factory)},
    )


def mpt_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `mpt` from a config.json; raises for learned positions, which no published MPT has."""
    attention = config.get("attn_config") or {}
    if not attention.get("alibi", True):
        raise UsageError(
            "attn_config has alibi: false, but this recipe is for published MPT models, which all have ALiBi; use "
            "InputEmbedding(tokens=TokenEmbedding(...), positions=LearnedPosition(...)) instead"
        )
    names = {"vocab_size": "vocab_size", "embedding_dim": "d_model", "num_heads": "n_heads", "dropout": "emb_pdrop"}
    return {**pick_renamed(config, **names), **pick_renamed(attention, max_bias="alibi_bias_max")}


MPT = Recipe(mpt, mpt_arguments, {"tokens.weight": "wte.weight"})

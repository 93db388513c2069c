"""Decoders with learned positions or ALiBi: GPT-2, OPT; BLOOM, MPT."""

from typing import Any, Unpack

from torch import nn

from rowspace._base.options import shows_options
from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.families import Config, Recipe, pick_renamed
from rowspace.layers.tables.factorized import FactorizedEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


@shows_options(Factory)
def gpt2(
    vocab_size: int = 50257,
    embedding_dim: int = 768,
    *,
    max_positions: int = 1024,
    dropout: float = 0.1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """GPT-2's input: ids (batch, seq) → (batch, seq, d), token + position, dropout. Small by default.

    There is no norm, since each block starts with one. The head is `TiedHead(embed.tokens)`.
    Source: Radford et al. 2019; bit for bit transformers' `GPT2Model`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        max_positions: Maximum length of a text.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> gpt2(100, 8)(torch.tensor([[5, 6, 7]]), start=10).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
        dropout=dropout,
    )


@shows_options(Factory)
def opt(
    vocab_size: int = 50272,
    embedding_dim: int = 768,
    *,
    inner_dim: int | None = None,
    max_positions: int = 2048,
    padding_idx: int | None = 1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """OPT's input: ids (batch, seq), mask → (batch, seq, d), token + position. 125M by default.

    Position ids are computed from the mask and start at the third row of the table. `inner_dim` is the dimension of the
    token table if it differs from d (350M: 512 and 1024).
    Source: Zhang et al. 2022, in metaseq; bit for bit transformers' `OPTDecoder`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        inner_dim: Dimension of the token table, by default d.
        max_positions: Maximum length of a text.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> opt(100, 8)(torch.tensor([[1, 1, 6, 7]]), mask=torch.tensor([[0, 0, 1, 1]])).shape
    torch.Size([1, 4, 8])
    """
    tokens = (
        TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory)
        if inner_dim in (None, embedding_dim)
        else FactorizedEmbedding(
            vocab_size, embedding_dim, inner_dim=inner_dim, padding_idx=padding_idx, bias=False, **factory
        )
    )
    return InputEmbedding(
        tokens=tokens,
        positions=LearnedPosition(max_positions, embedding_dim, offset=2, position_ids_from="mask", **factory),
    )


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

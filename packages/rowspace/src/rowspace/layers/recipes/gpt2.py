"""Decoders with learned positions: GPT-2, OPT."""

from typing import Unpack

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
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

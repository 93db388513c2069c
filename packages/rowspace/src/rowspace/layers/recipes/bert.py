"""Encoders with learned positions: BERT, RoBERTa and XLM-RoBERTa, ALBERT."""

from typing import Unpack

from torch import nn

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.tables.token_embedding import SegmentEmbedding, TokenEmbedding


@shows_options(Factory)
def bert(
    vocab_size: int = 30522,
    embedding_dim: int = 768,
    *,
    max_positions: int = 512,
    num_segments: int = 2,
    padding_idx: int | None = 0,
    norm_eps: float = 1e-12,
    dropout: float = 0.1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """BERT's input: ids (batch, seq), segments (batch, seq) or None → (batch, seq, d). Base by default.

    Word + segment + position, LayerNorm, dropout.
    Source: Devlin et al. 2018, section 3; bit for bit transformers' `BertEmbeddings`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        max_positions: Maximum length of a text.
        num_segments: Number of segments.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        norm_eps: Epsilon of the norm.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> bert(100, 8)(torch.tensor([[5, 6, 7]]), torch.tensor([[0, 0, 1]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        segments=SegmentEmbedding(num_segments, embedding_dim, **factory),
        positions=LearnedPosition(max_positions, embedding_dim, **factory),
        norm=nn.LayerNorm(embedding_dim, eps=norm_eps, **factory),
        dropout=dropout,
    )


@shows_options(Factory)
def roberta(
    vocab_size: int = 50265,
    embedding_dim: int = 768,
    *,
    max_positions: int = 512,
    num_segments: int = 1,
    padding_idx: int = 1,
    norm_eps: float = 1e-5,
    dropout: float = 0.1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """RoBERTa's input: ids (batch, seq) → (batch, seq, d). Base by default.

    As BERT's, with one segment, and position ids that do not count padding. `max_positions` is the maximum length of a
    text: the table has `padding_idx + 1` more rows.
    Source: Liu et al. 2019, in fairseq; bit for bit transformers' `RobertaEmbeddings`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        max_positions: Maximum length of a text.
        num_segments: Number of segments.
        padding_idx: Id of the padding, after which position ids start.
        norm_eps: Epsilon of the norm.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> embed = roberta(100, 8)
    >>> embed(torch.tensor([[0, 5, 2, 1, 1]])).shape, embed.positions.weight.shape
    (torch.Size([1, 5, 8]), torch.Size([514, 8]))
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        segments=SegmentEmbedding(num_segments, embedding_dim, **factory),
        positions=LearnedPosition(
            max_positions, embedding_dim, position_ids_from="ids", padding_idx=padding_idx, **factory
        ),
        norm=nn.LayerNorm(embedding_dim, eps=norm_eps, **factory),
        dropout=dropout,
    )


@shows_options(Factory)
def albert(
    vocab_size: int = 30000,
    embedding_dim: int = 768,
    *,
    inner_dim: int = 128,
    max_positions: int = 512,
    num_segments: int = 2,
    padding_idx: int | None = 0,
    norm_eps: float = 1e-12,
    dropout: float = 0.0,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """ALBERT's input: ids (batch, seq), segments (batch, seq) or None → (batch, seq, d). Base by default.

    As BERT's, in the narrow dimension `inner_dim`, followed by a linear map to d.
    Source: Lan et al. 2019, section 3.1; bit for bit transformers' `AlbertEmbeddings` and the encoder's first map.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        inner_dim: Dimension of the tables.
        max_positions: Maximum length of a text.
        num_segments: Number of segments.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        norm_eps: Epsilon of the norm.
        dropout: Probability of dropout.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> albert(100, 8, inner_dim=4)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, inner_dim, padding_idx=padding_idx, **factory),
        segments=SegmentEmbedding(num_segments, inner_dim, **factory),
        positions=LearnedPosition(max_positions, inner_dim, **factory),
        norm=nn.LayerNorm(inner_dim, eps=norm_eps, **factory),
        dropout=dropout,
        projection=nn.Linear(inner_dim, embedding_dim, **factory),
    )

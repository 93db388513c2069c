"""Encoders with learned positions: BERT, RoBERTa and XLM-RoBERTa, ALBERT."""

from typing import Any, Unpack

from torch import nn

from rowspace._base.options import shows_options
from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.segment import SegmentEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


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


def bert_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `bert` from a config.json."""
    return pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim="hidden_size",
        max_positions="max_position_embeddings",
        num_segments="type_vocab_size",
        padding_idx="pad_token_id",
        norm_eps="layer_norm_eps",
        dropout="hidden_dropout_prob",
    )


# The first release called the weight and bias of a norm gamma and beta, and bert-base-uncased still has these names.
BERT_TENSORS: TensorNames = {
    "tokens.weight": "embeddings.word_embeddings.weight",
    "segments.weight": "embeddings.token_type_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "norm.weight": ("embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma"),
    "norm.bias": ("embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta"),
}

BERT = Recipe(bert, bert_arguments, BERT_TENSORS)


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


def roberta_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `roberta` from a config.json, whose number of positions is the number of rows of the table."""
    found = {"padding_idx": 1, "max_positions": 512, **bert_arguments(config)}
    if found["padding_idx"] is None:
        raise UsageError("pad_token_id is null, but RoBERTa's position ids start after it; set it in config.json (1)")
    found["max_positions"] -= found["padding_idx"] + 1
    return found


ROBERTA = Recipe(roberta, roberta_arguments, BERT_TENSORS)


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


def albert_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `albert` from a config.json."""
    return bert_arguments(config) | pick_renamed(config, inner_dim="embedding_size")


ALBERT_TENSORS: TensorNames = {
    **BERT_TENSORS,
    "projection.weight": "encoder.embedding_hidden_mapping_in.weight",
    "projection.bias": "encoder.embedding_hidden_mapping_in.bias",
}

ALBERT = Recipe(albert, albert_arguments, ALBERT_TENSORS)

"""BERT: word + segment + position, LayerNorm, dropout."""

from typing import Any, Unpack

from torch import nn

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.segment import SegmentEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


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
    """BERT's input: ids (batch, seq), segments (batch, seq) or none → (batch, seq, d). Base by default.

    Source: Devlin et al. 2018, section 3; bit for bit transformers' `BertEmbeddings`.

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


def arguments(config: Config) -> dict[str, Any]:
    """Those of `bert`, from a config.json."""
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


# The first release called weight and bias of a norm gamma and beta, and bert-base-uncased still has it so.
TENSORS: TensorNames = {
    "tokens.weight": "embeddings.word_embeddings.weight",
    "segments.weight": "embeddings.token_type_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "norm.weight": ("embeddings.LayerNorm.weight", "embeddings.LayerNorm.gamma"),
    "norm.bias": ("embeddings.LayerNorm.bias", "embeddings.LayerNorm.beta"),
}

BERT = Recipe(bert, arguments, TENSORS)

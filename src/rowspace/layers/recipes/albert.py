"""ALBERT: BERT's sum and norm in a narrow width e, then one linear map to the model's width d."""

from typing import Any, Unpack

from torch import nn

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.bert import TENSORS as BERT_TENSORS
from rowspace.layers.recipes.bert import arguments as bert_arguments
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.segment import SegmentEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


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
    """ALBERT's input: ids (batch, seq), segments (batch, seq) or none → (batch, seq, d). Base by default.

    Source: Lan et al. 2019, section 3.1; bit for bit transformers' `AlbertEmbeddings` and the encoder's first map.

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


def arguments(config: Config) -> dict[str, Any]:
    """Those of `albert`, from a config.json."""
    return bert_arguments(config) | pick_renamed(config, inner_dim="embedding_size")


TENSORS: TensorNames = {
    **BERT_TENSORS,
    "projection.weight": "encoder.embedding_hidden_mapping_in.weight",
    "projection.bias": "encoder.embedding_hidden_mapping_in.bias",
}

ALBERT = Recipe(albert, arguments, TENSORS)

"""RoBERTa and XLM-RoBERTa: BERT's parts, with positions counted from the padding's id on, and padding left out."""

from typing import Any, Unpack

from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.bert import TENSORS
from rowspace.layers.recipes.bert import arguments as bert_arguments
from rowspace.layers.recipes.recipe import Config, Recipe
from rowspace.layers.tables.segment import SegmentEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


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

    `max_positions` are those of a text: the table has `padding_idx + 1` rows more. There is one segment.
    Source: Liu et al. 2019, by fairseq; bit for bit transformers' `RobertaEmbeddings`.

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


def arguments(config: Config) -> dict[str, Any]:
    """Those of `roberta`: a config.json counts the rows of the table as positions."""
    found = {"padding_idx": 1, "max_positions": 512, **bert_arguments(config)}
    if found["padding_idx"] is None:
        raise UsageError("pad_token_id is null, but RoBERTa counts positions from it on; set it in config.json (1)")
    found["max_positions"] -= found["padding_idx"] + 1
    return found


ROBERTA = Recipe(roberta, arguments, TENSORS)

"""OPT: token + position, where positions are counted by the attention mask and begin at the third row of the table."""

from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.factorized import FactorizedEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding


def opt(
    vocab_size: int = 50272,
    embedding_dim: int = 768,
    *,
    inner_dim: int | None = None,
    max_positions: int = 2048,
    padding_idx: int | None = 1,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """OPT's input: ids (batch, seq), mask → (batch, seq, d). 125M by default.

    `inner_dim` is the width of the table where it is not the model's (350M: 512 of 1024).
    Source: Zhang et al. 2022, by metaseq; bit for bit transformers' `OPTDecoder`.

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


def arguments(config: Config) -> dict[str, Any]:
    """Those of `opt`, from a config.json."""
    return pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim="hidden_size",
        inner_dim="word_embed_proj_dim",
        max_positions="max_position_embeddings",
        padding_idx="pad_token_id",
    )


TENSORS = {
    "tokens.weight": "embed_tokens.weight",
    "tokens.table.weight": "embed_tokens.weight",
    "tokens.projection.weight": "project_in.weight",
    "positions.weight": "embed_positions.weight",
}

OPT = Recipe(opt, arguments, TENSORS)

"""MPT: rows, dropout; ALiBi on the scores, in attention."""

from typing import Any, Unpack

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.recipes.recipe import Config, Recipe, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def mpt(
    vocab_size: int = 50432,
    embedding_dim: int = 4096,
    *,
    num_heads: int = 32,
    max_bias: float = 8.0,
    dropout: float = 0.0,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """MPT's input: ids (batch, seq) → (batch, seq, d); `.alibi(queries, keys)` for its scores. 7B by default.

    Source: MosaicML 2023 (llm-foundry); bit for bit transformers' `MptModel` and `build_mpt_alibi_tensor`.

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


def arguments(config: Config) -> dict[str, Any]:
    """Those of `mpt`, from a config.json. Learned positions (`alibi: false`) are refused: no published MPT has them."""
    attention = config.get("attn_config") or {}
    if not attention.get("alibi", True):
        raise UsageError(
            "attn_config says alibi: false, but this recipe is that of the published MPT models, which all have it; "
            "compose InputEmbedding(tokens=TokenEmbedding(...), positions=LearnedPosition(...)) instead"
        )
    names = {"vocab_size": "vocab_size", "embedding_dim": "d_model", "num_heads": "n_heads", "dropout": "emb_pdrop"}
    return {**pick_renamed(config, **names), **pick_renamed(attention, max_bias="alibi_bias_max")}


MPT = Recipe(mpt, arguments, {"tokens.weight": "wte.weight"})

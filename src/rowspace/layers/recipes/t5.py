"""T5 and mT5: rows of one table for both stacks, dropout; positions are a learned bias on the scores of each stack."""

from functools import partial
from typing import Any, Unpack

from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.relative_bias import RelativeBias
from rowspace.layers.recipes.recipe import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


def t5(
    vocab_size: int = 32128,
    embedding_dim: int = 512,
    *,
    num_heads: int = 8,
    num_buckets: int = 32,
    max_distance: int = 128,
    dropout: float = 0.1,
    decoder: bool = True,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """T5's input: ids (batch, seq) → (batch, seq, d); `.relative_bias`, and the decoder's. Small by default.

    `.relative_bias` is the encoder's, `.decoder_relative_bias` the decoder's, which sees the past only; an encoder by
    itself has `decoder=False`. The head of v1.0 is `TiedHead(embed.tokens, scale="rsqrt")`.
    Source: Raffel et al. 2020; bit for bit transformers' `T5Stack` and `T5Attention.compute_bias`.

    >>> import torch
    >>> embed = t5(100, 8, num_heads=2)
    >>> embed(torch.tensor([[5, 6, 7]])).shape, embed.relative_bias(torch.arange(3), torch.arange(3)).shape
    (torch.Size([1, 3, 8]), torch.Size([2, 3, 3]))
    """
    bias = partial(RelativeBias, num_heads, num_buckets=num_buckets, max_distance=max_distance, **factory)
    attention = {"relative_bias": bias()}
    if decoder:
        attention["decoder_relative_bias"] = bias(bidirectional=False)
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, init="normal", **factory), dropout=dropout, attention=attention
    )


def arguments(config: Config) -> dict[str, Any]:
    """Those of `t5`, from a config.json; that of an encoder by itself may still call it half of a pair."""
    encoder_alone = any("EncoderModel" in str(name) for name in config.get("architectures") or ())
    found = pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim="d_model",
        num_heads="num_heads",
        num_buckets="relative_attention_num_buckets",
        max_distance="relative_attention_max_distance",
        dropout="dropout_rate",
        decoder="is_encoder_decoder",
    )
    return found | ({"decoder": False} if encoder_alone else {})


TENSORS: TensorNames = {
    "tokens.weight": ("shared.weight", "encoder.embed_tokens.weight"),
    "relative_bias.weight": "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    "decoder_relative_bias.weight": "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
}

T5 = Recipe(t5, arguments, TENSORS)

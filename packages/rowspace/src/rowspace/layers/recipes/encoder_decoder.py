"""Encoder-decoder models: the Transformer of 2017 (Marian), T5 and mT5."""

from functools import partial
from typing import Any, Unpack

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.relative import RelativeBias
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.recipes.families import Config, Recipe, TensorNames, pick_renamed
from rowspace.layers.tables.token_embedding import TokenEmbedding


@shows_options(Factory)
def transformer(
    vocab_size: int = 37000,
    embedding_dim: int = 512,
    *,
    padding_idx: int | None = None,
    scaled: bool = True,
    dropout: float = 0.1,
    sinusoids: SinusoidPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """The input of the 2017 Transformer: ids (batch, seq) → (batch, seq, d). Base by default; no maximum length.

    Rows times √d (if `scaled`) plus sinusoids, dropout. The sinusoids are the paper's by default; Marian's are
    `SinusoidPosition(d, layout="concatenated", angle_dtype=float64)`. The table is shared by encoder, decoder and head,
    `TiedHead(embed.tokens)`, which uses the rows without √d.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5; bit for bit transformers' `MarianEncoder`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        scaled: Whether rows are multiplied by √d.
        dropout: Probability of dropout.
        sinusoids: The position module.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> transformer(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(
            vocab_size,
            embedding_dim,
            padding_idx=padding_idx,
            scale="sqrt" if scaled else None,
            init="inverse_sqrt" if scaled else "normal",
            **factory,
        ),
        positions=sinusoids if sinusoids is not None else SinusoidPosition(embedding_dim, **factory),
        dropout=dropout,
    )


@shows_options(Factory)
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
    """T5's input: ids (batch, seq) → (batch, seq, d), rows and dropout. Small by default.

    The table is shared by encoder and decoder. `.relative_bias` is the learned bias on the attention scores of the
    encoder, `.decoder_relative_bias` that of the causal decoder; `decoder=False` is for an encoder alone. The head of
    v1.0 is `TiedHead(embed.tokens, scale="rsqrt")`.
    Source: Raffel et al. 2020; bit for bit transformers' `T5Stack` and `T5Attention.compute_bias`.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        num_heads: Number of attention heads.
        num_buckets: See `relative_buckets`.
        max_distance: See `relative_buckets`.
        dropout: Probability of dropout.
        decoder: Whether there is a decoder.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

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


def t5_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `t5` from a config.json; that of an encoder alone may still have `is_encoder_decoder`."""
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


T5_TENSORS: TensorNames = {
    "tokens.weight": ("shared.weight", "encoder.embed_tokens.weight"),
    "relative_bias.weight": "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    "decoder_relative_bias.weight": "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
}

T5 = Recipe(t5, t5_arguments, T5_TENSORS)

"""Decoders with rotary positions: Llama, Mistral, Qwen, Gemma."""

from typing import Unpack

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.rotary.position import RotaryPosition
from rowspace.layers.tables.token_embedding import TokenEmbedding


@shows_options(Factory)
def llama(
    vocab_size: int = 32000,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Llama's input: ids (batch, seq) → (batch, seq, d), rows of a table. Llama 2 7B by default.

    `.rotary` rotates the queries and keys of its attention.
    Llama 3 is `llama(128256, 4096, rotary=RotaryPosition(128, base=500000.0))`; 3.1 has `scaling=Llama3Scaling(...)`.
    Source: Touvron et al. 2023; bit for bit transformers' `LlamaModel` and its rotation.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        rotary: The rotation; by default that of the published model.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> embed = llama(100, 8, rotary=RotaryPosition(4))
    >>> q, k = embed.rotary(torch.ones(1, 2, 3, 4), torch.ones(1, 1, 3, 4))
    >>> embed(torch.tensor([[5, 6, 7]])).shape, q.shape
    (torch.Size([1, 3, 8]), torch.Size([1, 2, 3, 4]))
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        attention={"rotary": rotary if rotary is not None else RotaryPosition(128, **factory)},
    )


@shows_options(Factory)
def mistral(
    vocab_size: int = 32000,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Mistral's input: ids (batch, seq) → (batch, seq, d), as Llama's. 7B v0.1 by default.

    v0.2 and v0.3 have `rotary=RotaryPosition(128, base=1e6)`; v0.3 has 32768 rows.
    Source: Jiang et al. 2023; bit for bit transformers' `MistralModel` and its rotation.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        rotary: The rotation; by default that of the published model.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> mistral(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return llama(vocab_size, embedding_dim, padding_idx=padding_idx, rotary=rotary, **factory)


@shows_options(Factory)
def qwen(
    vocab_size: int = 151936,
    embedding_dim: int = 4096,
    *,
    padding_idx: int | None = None,
    rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Qwen's input: ids (batch, seq) → (batch, seq, d), as Llama's, for Qwen 2, 2.5 and 3. Qwen3 8B by default.

    Qwen3 normalizes the queries and keys of each head before the rotation, which is a part of its attention. The small
    models have a `TiedHead`, the large ones do not.
    Source: Yang et al. 2024 and 2025; bit for bit transformers' `Qwen2Model` and `Qwen3Model` and their rotation.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        rotary: The rotation; by default that of the published model.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> qwen(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    rotary = rotary if rotary is not None else RotaryPosition(128, base=1e6, **factory)
    return llama(vocab_size, embedding_dim, padding_idx=padding_idx, rotary=rotary, **factory)


@shows_options(Factory)
def gemma(
    vocab_size: int = 256000,
    embedding_dim: int = 3072,
    *,
    padding_idx: int | None = 0,
    rotary: RotaryPosition | None = None,
    sliding_rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """Gemma's input: ids (batch, seq) → (batch, seq, d), for Gemma 1, 2 and 3. Gemma 7B by default.

    Rows are multiplied by √d rounded to the dtype of the weight: in bfloat16 √3072 = 55.43 is 55.5. The head,
    `TiedHead(embed.tokens)`, uses the rows without it. `.rotary` rotates the queries and keys; Gemma 3 has
    `rotary=RotaryPosition(256, base=1e6)`, and for layers with a sliding window `sliding_rotary=RotaryPosition(256)`.
    Source: Gemma Team 2024, 2025; bit for bit transformers' Gemma models, in bfloat16 too.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        rotary: The rotation; by default that of the published model.
        sliding_rotary: The rotation of layers with a sliding window (Gemma 3).
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> gemma(100, 8)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    attention = {"rotary": rotary if rotary is not None else RotaryPosition(256, **factory)}
    if sliding_rotary is not None:
        attention["sliding_rotary"] = sliding_rotary
    tokens = TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, scale="rounded_sqrt", **factory)
    return InputEmbedding(tokens=tokens, attention=attention)

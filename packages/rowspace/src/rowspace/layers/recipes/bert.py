"""Encoders: BERT, RoBERTa and XLM-RoBERTa, ALBERT with learned positions, ModernBERT with rotary ones."""

from typing import Any, Unpack

from torch import Tensor, nn

from rowspace._base.options import shows_options
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.recipes.families import Config, Recipe, layered_rotaries, pick_renamed
from rowspace.layers.rotary.position import RotaryPosition
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


@shows_options(Factory)
def modernbert(
    vocab_size: int = 50368,
    embedding_dim: int = 768,
    *,
    padding_idx: int | None = 50283,
    norm_eps: float = 1e-5,
    norm_bias: bool = False,
    dropout: float = 0.0,
    rotary: RotaryPosition | None = None,
    sliding_rotary: RotaryPosition | None = None,
    **factory: Unpack[Factory],
) -> InputEmbedding:
    """ModernBERT's input: ids (batch, seq) → (batch, seq, d), rows, norm, dropout. Base by default.

    Every third layer attends to all tokens, the others to a sliding window; they have different frequencies: `.rotary`
    and `.sliding_rotary` rotate their queries and keys.
    Source: Warner et al. 2024; bit for bit transformers' `ModernBertEmbeddings` and its rotation.

    Args:
        vocab_size: Number of tokens.
        embedding_dim: d, the dimension of hidden states.
        padding_idx: Id of the padding, whose row is zero and gets no gradient.
        norm_eps: Epsilon of the norm.
        norm_bias: Whether the norm has a bias.
        dropout: Probability of dropout.
        rotary: The rotation; by default that of the published model.
        sliding_rotary: The rotation of layers with a sliding window.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> import torch
    >>> modernbert(100, 8, padding_idx=0)(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """
    return InputEmbedding(
        tokens=TokenEmbedding(vocab_size, embedding_dim, padding_idx=padding_idx, **factory),
        norm=nn.LayerNorm(embedding_dim, eps=norm_eps, bias=norm_bias, **factory),
        dropout=dropout,
        attention={
            "rotary": rotary if rotary is not None else RoundedRotary(64, base=160000.0, upcast=True, **factory),
            "sliding_rotary": sliding_rotary
            if sliding_rotary is not None
            else RoundedRotary(64, upcast=True, **factory),
        },
    )


class RoundedRotary(RotaryPosition):
    """`RotaryPosition` with cosine and sine rounded to the dtype of q and k, also if the rotation is in float32.

    >>> import torch
    >>> q = torch.ones(1, 1, 3, 4)
    >>> torch.equal(RoundedRotary(4, upcast=True)(q, q)[0], RotaryPosition(4)(q, q)[0])
    True
    """

    def apply_angles(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """As in `RotaryPosition`."""
        return super().apply_angles(x, cos.to(x.dtype), sin.to(x.dtype))


def modernbert_arguments(config: Config) -> dict[str, Any]:
    """The arguments of `modernbert` from a config.json."""
    sizes = pick_renamed(
        config,
        vocab_size="vocab_size",
        embedding_dim="hidden_size",
        padding_idx="pad_token_id",
        norm_eps="norm_eps",
        norm_bias="norm_bias",
        dropout="embedding_dropout",
    )
    found = layered_rotaries(config)
    rotaries = {
        name: RoundedRotary(rotary.head_dim, base=rotary.base, scaling=rotary.scaling, upcast=True)
        for name, rotary in found.items()
    }
    return {**sizes, **rotaries}


MODERNBERT_TENSORS = {
    "tokens.weight": "embeddings.tok_embeddings.weight",
    "norm.weight": "embeddings.norm.weight",
    "norm.bias": "embeddings.norm.bias",
}

MODERNBERT = Recipe(modernbert, modernbert_arguments, MODERNBERT_TENSORS)

"""The input of a text model from options instead of code: rows, positions, segments, a norm, a projection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Unpack

import torch
from torch import nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.positions.alibi import Alibi
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.position_ids import PositionIdSource
from rowspace.layers.positions.sinusoid import SinusoidLayout, SinusoidPosition
from rowspace.layers.recipes.parts import CodePointEmbedding, MaskedInput, NormKind, TrigramEmbedding, norm_of
from rowspace.layers.tables.factorized import FactorizedEmbedding
from rowspace.layers.tables.token_embedding import SegmentEmbedding, TokenEmbedding

__all__ = ["TextParts", "composed_text"]


@dataclass(frozen=True)
class TextParts:
    """The parts of the input of a text model.

    - `vocab_size`, `extra_vocab`: rows of the table that the config counts, and others.
    - `embedding_dim`, `padding_idx`, `scale`: of the table. "bfloat16_sqrt" is √d rounded to bfloat16; `scaled=False`
      turns the scale off.
    - `inner_dim`: dimension of the table. If it differs from `embedding_dim`, or with `always_projected`, there is a
      `projection`: of the rows of the tokens, of the sum ("before_norm"), or at the end ("last").
    - `num_segments`: 0 for none.
    - `position_rows`, `extra_positions`: rows of the table of positions that the config counts, and others, of which
      `offset` come before that of position 0: a number, or "padding" for the padding id and one more.
      None, or `positioned=False`, for no positions. `sinusoids` has the arguments of `SinusoidPosition`.
    - `norm`, `norm_eps`, `norm_bias`: of the sum; see `norm_of`. `normed=False` turns it off.
    - `alibi`: how the slopes are rounded; `num_heads` of them.
    - `trigrams`, `hashes`: the table is that of `TrigramEmbedding`, or of a `CodePointEmbedding` with so many hashes.
    - `zero_padding`: whether the result is zero for padding.
    - `masked`: whether it is a `MaskedInput`; `mask_idx`, `mask_dropout`: id of the mask token, whether its rows are 0.
    - `order`: in which parts are summed, which determines the last bits.
    """

    vocab_size: int
    embedding_dim: int
    extra_vocab: int = 0
    padding_idx: int | None = None
    scale: float | str | None = None
    scaled: bool = True
    inner_dim: int | None = None
    projection: Literal["tokens", "before_norm", "last"] = "last"
    projection_bias: bool = True
    always_projected: bool = False
    num_segments: int = 0
    position_rows: int | None = None
    extra_positions: int = 0
    offset: int | Literal["padding"] = 0
    position_ids_from: PositionIdSource = "length"
    positioned: bool = True
    sinusoids: Mapping[str, Any] | None = None
    norm: NormKind | None = None
    norm_eps: float = 1e-5
    norm_bias: bool = True
    normed: bool = True
    dropout: float = 0.0
    alibi: Literal["bloom"] | None = None
    num_heads: int = 1
    trigrams: bool = False
    hashes: int = 0
    zero_padding: bool = False
    masked: bool = False
    mask_idx: int | None = None
    mask_dropout: bool = False
    order: tuple[str, ...] = ("tokens", "segments", "positions")

    @property
    def inner(self) -> int:
        """The dimension of the table."""
        return self.inner_dim or self.embedding_dim

    @property
    def is_projected(self) -> bool:
        """Whether there is a projection."""
        return self.always_projected or self.inner != self.embedding_dim

    @property
    def width(self) -> int:
        """The dimension in which the parts are summed."""
        return self.embedding_dim if self.projection == "tokens" else self.inner


def composed_text(
    *, parts: Mapping[str, Any], attention: Mapping[str, nn.Module] | None = None, **factory: Unpack[Factory]
) -> InputEmbedding:
    """Build the input of a text model from the arguments of `TextParts`.

    Args:
        parts: The arguments of `TextParts`.
        attention: As in `InputEmbedding`.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> composed_text(parts={"vocab_size": 10, "embedding_dim": 4, "scale": "sqrt"}).tokens
    TokenEmbedding(10, 4, scale='sqrt')
    """
    options = TextParts(**parts)
    if options.offset == "padding" or options.position_ids_from == "ids":
        options = replace(options, offset=_after_padding(options))
    found = {
        "tokens": _tokens(options, **factory),
        "segments": _segments(options, **factory),
        "positions": _positions(options, **factory),
    }
    project = partial(nn.Linear, options.inner, options.embedding_dim, bias=options.projection_bias, **factory)
    norm = _norm(options, **factory)
    if options.is_projected and options.projection == "before_norm":
        norm = nn.Sequential(project(), *([] if norm is None else [norm]))
    alibi = None if options.alibi is None else Alibi(options.num_heads, rounding=options.alibi, **factory)
    kind: Callable[..., InputEmbedding] = InputEmbedding
    if options.masked:
        kind = partial(MaskedInput, mask_idx=options.mask_idx if options.mask_dropout else None)
    return kind(
        norm=norm,
        dropout=options.dropout,
        projection=project() if options.is_projected and options.projection == "last" else None,
        attention={**(attention or {}), **({} if alibi is None else {"alibi": alibi})},
        padding_idx=options.padding_idx if options.zero_padding else None,
        **{name: part for name in options.order if (part := found[name]) is not None},
    )


def _after_padding(options: TextParts) -> int:
    if options.padding_idx is None:
        raise UsageError("pad_token_id is null, but position ids start after it; set it in config.json")
    return options.padding_idx + 1


def _tokens(options: TextParts, **factory: Unpack[Factory]) -> nn.Module:
    rows, padding = options.vocab_size + options.extra_vocab, options.padding_idx
    if options.hashes:
        return CodePointEmbedding(rows, options.embedding_dim, options.hashes, **factory)
    if options.trigrams:
        return TrigramEmbedding(rows, options.embedding_dim, options.inner, padding_idx=padding, **factory)
    if options.is_projected and options.projection == "tokens":
        return FactorizedEmbedding(
            rows,
            options.embedding_dim,
            inner_dim=options.inner,
            padding_idx=padding,
            bias=options.projection_bias,
            **factory,
        )
    scale: Any = options.scale if options.scaled else None
    if scale == "bfloat16_sqrt":
        scale = float(torch.tensor(options.inner**0.5, dtype=torch.bfloat16, device="cpu"))
    return TokenEmbedding(rows, options.inner, padding_idx=padding, scale=scale, **factory)


def _segments(options: TextParts, **factory: Unpack[Factory]) -> nn.Module | None:
    return SegmentEmbedding(options.num_segments, options.width, **factory) if options.num_segments else None


def _positions(options: TextParts, **factory: Unpack[Factory]) -> nn.Module | None:
    padding = options.padding_idx if options.position_ids_from == "ids" else None
    if options.sinusoids is not None:
        layout: SinusoidLayout = options.sinusoids.get("layout", "interleaved")
        return SinusoidPosition(
            options.width,
            layout=layout,
            endpoint=options.sinusoids.get("endpoint", False),
            angle_dtype=torch.float64 if options.sinusoids.get("float64") else torch.float32,
            normalized=options.sinusoids.get("normalized", False),
            reciprocal=options.sinusoids.get("reciprocal", False),
            offset=options.sinusoids.get("offset", 0),
            padding_idx=padding,
            **factory,
        )
    if options.position_rows is None or not options.positioned:
        return None
    return LearnedPosition(
        options.position_rows + options.extra_positions - int(options.offset),
        options.width,
        offset=int(options.offset),
        position_ids_from=options.position_ids_from,
        padding_idx=padding,
        **factory,
    )


def _norm(options: TextParts, **factory: Unpack[Factory]) -> nn.Module | None:
    if options.norm is None or not options.normed:
        return None
    width = options.embedding_dim if options.projection == "before_norm" else options.width
    return norm_of(options.norm, width, eps=options.norm_eps, bias=options.norm_bias, **factory)

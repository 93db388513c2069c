"""The input of a text model, computed from ids: a sum of parts, norm, dropout: `InputEmbedding`."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.inputs.fused_input import fused_input
from rowspace.layers.inputs.parts import WITHOUT_IDS, InputArguments, NamedParts
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.tables.gather import require_tensor
from rowspace.layers.tables.token_embedding import SegmentEmbedding, TokenEmbedding
from rowspace.layers.tables.wrapped import bare

__all__ = [
    "InputEmbedding",
]


class InputEmbedding(NamedParts):
    """ids (batch, seq) → (batch, seq, d): the sum of the rows of all parts, then norm, dropout and projection.

    Parts are named modules: `InputEmbedding(tokens=..., segments=..., positions=...)`. They are summed in the order of
    the arguments, which determines the last bits of a float32 sum. A `SegmentEmbedding` gets `segments`;
    `LearnedPosition` and `SinusoidPosition` get ids, mask, positions and start; any other module gets ids.

    Source: Devlin et al. 2018, figure 2; the order is that of transformers and of BERT's release.

    Args:
        norm: Applied to the sum.
        dropout: Probability, applied after the norm.
        projection: Applied last (ALBERT has its norm before the projection).
        attention: Modules of positions for use in attention, stored as attributes and not called here:
            `attention={"rotary": RotaryPosition(64)}` sets `embed.rotary`.
        padding_idx: If given, the output for padding is zero, before the projection (XLM): where `mask` is 0, or
            without a mask at the end of a text, as many as this id occurs in it.
        **parts: Modules by name.

    Raises:
        UsageError: For no parts or an invalid name; in forward for segments that no part uses, and errors of the parts.

    >>> from rowspace.layers import LearnedPosition, TokenEmbedding
    >>> embed = InputEmbedding(
    ...     tokens=TokenEmbedding(100, 8), positions=LearnedPosition(16, 8), norm=nn.LayerNorm(8), dropout=0.1
    ... )
    >>> embed(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 8])
    """

    rotary: Any
    alibi: Any
    relative_bias: Any

    def __init__(
        self,
        *,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        projection: nn.Module | None = None,
        attention: Mapping[str, nn.Module] | None = None,
        padding_idx: int | None = None,
        **parts: nn.Module,
    ) -> None:
        super().__init__(parts)
        self.padding_idx = padding_idx
        self.norm = norm
        self.dropout = nn.Dropout(dropout)
        self.projection = projection
        self._fused = False
        for name, module in (attention or {}).items():
            self.add_named(name, module)

    @property
    def fused(self) -> bool:
        """Whether words, segments, learned positions and LayerNorm (BERT, RoBERTa) are computed in one pass.

        False until it is set. Several times as fast on a CPU, and within 1e-6 of separate operations. Setting it to
        True raises `UsageError` for other parts. It has no effect while a part has a hook or is wrapped, as by PEFT or
        accelerate: then the parts are called.
        """
        return self._fused

    @fused.setter
    def fused(self, value: bool) -> None:
        """Check the parts and set it."""
        if value:
            _check_fusible(list(self.parts()), self.norm)
        self._fused = value

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        start: int = 0,
    ) -> Tensor:
        """Compute the input of the first layer.

        A model without position rows ignores `mask`, `positions` and `start`.

        Args:
            ids: (batch, seq) int64 or int32.
            segments: (batch, seq), by default all 0.
            mask: (batch, start + seq), 1 for tokens and 0 for padding, for position ids from a mask (OPT) and
                `padding_idx`.
            positions: (seq,) or (batch, seq), replacing the model's position ids, from 0 in every model: for a RoBERTa,
                transformers' `position_ids` minus `padding_idx + 1`.
            start: Number of tokens in the cache.

        Returns:
            (batch, seq, d).

        Raises:
            UsageError: For segments that no part uses, and errors of the parts.
        """
        require_tensor(ids, "ids")
        self.check_segments(segments)
        arguments = InputArguments(ids, segments, mask, positions, start)
        parts = self.parts()
        is_fused = self.fused and _are_plain(parts, self.norm)
        total: Tensor = _fused_rows(parts, self.norm, arguments) if is_fused else self._summed(arguments)
        total = self.dropout(total)
        if self.padding_idx is not None:
            total = total * _tokens_of(arguments, self.padding_idx).unsqueeze(-1).to(total.dtype)
        if self.projection is not None:
            total = self.projection(total)
        return total

    def _summed(self, arguments: InputArguments) -> Tensor:
        """The rows of all parts, in their order, and the norm."""
        parts = self.parts()
        total = arguments.apply(parts[0], torch.float32)
        for part in parts[1:]:
            total = total + arguments.apply(part, total.dtype)
        if self.norm is not None:
            total = self.norm(total)
        alone = len(parts) == 1 and isinstance(bare(parts[0]), WITHOUT_IDS)  # the rows may be a view of the parameter
        if alone or total.shape[:-1] != arguments.ids.shape:
            total = total.expand(*arguments.ids.shape, -1).clone(memory_format=torch.contiguous_format)
        return total


def _tokens_of(arguments: InputArguments, padding_idx: int) -> Tensor:
    """(batch, seq): 1 for tokens, 0 for padding."""
    ids = arguments.ids
    if arguments.mask is not None:
        return arguments.mask[..., arguments.start :]
    return torch.arange(ids.shape[-1], device=ids.device) < (ids != padding_idx).sum(-1, keepdim=True)


KINDS = (TokenEmbedding, SegmentEmbedding, LearnedPosition)


def _check_fusible(parts: Sequence[nn.Module], norm: nn.Module | None) -> None:
    """Raise `UsageError` unless the parts are words, segments and learned positions, in this order, and a LayerNorm."""
    found = tuple(type(part) for part in parts)
    if found != KINDS or type(norm) is not nn.LayerNorm or norm.weight is None or norm.bias is None:
        names = ", ".join(kind.__name__ for kind in (*found, type(norm)))
        raise UsageError(
            "fused needs a TokenEmbedding, a SegmentEmbedding and a LearnedPosition, in this order, and a LayerNorm "
            f"with weight and bias, not {names}; leave fused off"
        )
    if parts[0].scale is not None:
        raise UsageError("fused needs words without scale; leave fused off")


def _are_plain(parts: Sequence[nn.Module], norm: nn.Module | None) -> bool:
    """Whether a call of these parts, which `_check_fusible` has accepted, would only look up rows and normalize them.

    Hooks, wrappers of PEFT, a forward replaced by accelerate, and the row reader of a deferred optimizer need the call.
    """
    if tuple(type(part) for part in parts) != KINDS or type(norm) is not nn.LayerNorm:
        return False
    words: Any = parts[0]
    return words.scale is None and words.row_reader is None and not any(_is_hooked(part) for part in (*parts, norm))


def _is_hooked(module: nn.Module) -> bool:
    hooks = (module._forward_pre_hooks, module._forward_hooks, module._backward_pre_hooks, module._backward_hooks)
    return any(hooks) or "forward" in vars(module)


def _fused_rows(parts: Sequence[Any], norm: Any, arguments: InputArguments) -> Tensor:
    """The rows (batch, seq, d) of parts and norm that `_check_fusible` accepts."""
    words, segments, positions = parts
    ids = arguments.ids
    of_segments = torch.zeros_like(ids) if arguments.segments is None else arguments.segments
    numbers = positions.row_numbers(ids, mask=arguments.mask, positions=arguments.positions, start=arguments.start)
    tables = (words.weight, segments.weight, positions.weight)
    return fused_input(
        (ids, of_segments.expand_as(ids), numbers.expand_as(ids)),
        tables,
        norm.weight,
        norm.bias,
        eps=norm.eps,
        padding_idx=words.padding_idx,
        position_padding_idx=positions.padding_idx,
        sparse=words.sparse,
    )

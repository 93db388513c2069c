"""The input of a text model, computed from ids: a sum of parts, norm, dropout: `InputEmbedding`."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.layers.inputs.fused_parts import are_plain, check_fusible, fused_rows
from rowspace.layers.inputs.parts import WITHOUT_IDS, InputArguments, NamedParts
from rowspace.layers.tables.gather import require_tensor
from rowspace.layers.tables.wrapped import bare

__all__ = ["InputEmbedding"]


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
        **parts: nn.Module,
    ) -> None:
        super().__init__(parts)
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
            check_fusible(list(self.parts()), self.norm)
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
            mask: (batch, start + seq), 1 for tokens and 0 for padding, for position ids from a mask (OPT).
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
        is_fused = self.fused and are_plain(parts, self.norm)
        total: Tensor = fused_rows(parts, self.norm, arguments) if is_fused else self._summed(arguments)
        total = self.dropout(total)
        if self.projection is not None:
            total = self.projection(total)
        return total

    def _summed(self, arguments: InputArguments) -> Tensor:
        """The rows of all parts, in their order, and the norm."""
        first, *others = self.parts()
        total = arguments.apply(first, torch.float32)
        for part in others:
            total = total + arguments.apply(part, total.dtype)
        if self.norm is not None:
            total = self.norm(total)
        alone = not others and isinstance(bare(first), WITHOUT_IDS)  # the rows may be a view of the parameter
        if alone or total.shape[:-1] != arguments.ids.shape:
            total = total.expand(*arguments.ids.shape, -1).clone(memory_format=torch.contiguous_format)
        return total

"""What a text model does with ids before its first layer: parts summed, norm, dropout: `InputEmbedding`.

Not here: the parts (`token_embedding.py`, `segment.py`, `learned_position.py`, `sinusoid.py`), concatenation in
place of the sum (`concatenation.py`), and what known models are made of (`recipes/`, read next).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.learned_position import LearnedPosition
from rowspace.layers.segment import SegmentEmbedding
from rowspace.layers.sinusoid import SinusoidPosition
from rowspace.layers.sizes import Sized

__all__ = ["InputEmbedding"]


class Parts(Sized):
    """Modules under names of the caller's choice, each called with what its kind needs, in the order given."""

    # What the recipes call their parts. Any module stands here, so that `embed.rotary(q, k)` needs no cast.
    tokens: Any
    segments: Any
    positions: Any

    def __init__(self, parts: Mapping[str, nn.Module]) -> None:
        super().__init__()
        if not parts:
            raise UsageError("parts must be one module at least, as in tokens=TokenEmbedding(30522, 768); none came")
        for name, part in parts.items():
            self.add_named(name, part)
        self.part_names = tuple(parts)

    def add_named(self, name: str, module: nn.Module) -> None:
        """Keep a module as the attribute `name`."""
        if hasattr(self, name) or not isinstance(module, nn.Module):
            raise UsageError(
                f"{name} is {module!r}, but must be a module under a name that is free; choose another one"
            )
        self.add_module(name, module)

    def rows(
        self, ids: Tensor, segments: Tensor | None, mask: Tensor | None, positions: Tensor | None, start: int
    ) -> Iterator[Tensor]:
        """What each part gives for the input, `(batch, seq, d)` or a shape that broadcasts to it."""
        dtype = torch.float32  # of the rows before, for a part that has no dtype of its own
        for name in self.part_names:
            part = self.get_submodule(name)
            if isinstance(part, SegmentEmbedding):
                rows = part(segments)
            elif isinstance(part, LearnedPosition):
                rows = part(ids, mask=mask, positions=positions, start=start)
            elif isinstance(part, SinusoidPosition):
                rows = part(ids, positions=positions, start=start, dtype=dtype)
            else:
                rows = part(ids)
            yield rows
            dtype = rows.dtype


class InputEmbedding(Parts):
    """ids (batch, seq) → (batch, seq, d): the rows of all parts summed, then norm, dropout and projection, if any.

    Each part is a module under a name: `InputEmbedding(tokens=..., segments=..., positions=...)`. They are summed in
    the order in which they are written, which decides the last bits of a float32 sum. A `SegmentEmbedding` gets
    `segments`; `LearnedPosition` and `SinusoidPosition` get ids, mask, positions and start; any other module gets ids.

    - `norm`: called with the sum. `dropout`: its probability, after the norm.
    - `projection`: called last (ALBERT norms on the narrow side).
    - `attention`: modules that place tokens inside of attention, kept for the layers that follow and not called here:
      `attention={"rotary": RotaryPosition(64)}` makes `embed.rotary`.

    Raises `UsageError` for segments where no part takes them, and whatever the parts raise.
    Source: Devlin et al. 2018, figure 2; the order is that of transformers and of BERT's own release.

    >>> from rowspace.layers import TokenEmbedding
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
        for name, module in (attention or {}).items():
            self.add_named(name, module)

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        start: int = 0,
    ) -> Tensor:
        """Ids (batch, seq), segments of the same shape or none (all 0) → (batch, seq, d).

        `mask` (batch, start + seq) is 1 for tokens and 0 for padding, where positions are counted by it (OPT).
        `positions` (seq,) or (batch, seq) replace the model's own count; `start` is the number of tokens in the cache.
        A model that places tokens in attention has no use for the three here.
        """
        self._check_segments(segments)
        parts = self.rows(ids, segments, mask, positions, start)
        total = next(parts)
        for rows in parts:
            total = total + rows
        if self.norm is not None:
            total = self.norm(total)
        total = self.dropout(total)
        if self.projection is not None:
            total = self.projection(total)
        return total

    def _check_segments(self, segments: Tensor | None) -> None:
        """A model without segments would pass over them in silence."""
        if segments is not None and not any(isinstance(part, SegmentEmbedding) for part in self.children()):
            raise UsageError("segments were given, but no part is a SegmentEmbedding; leave them out")

"""Parts concatenated instead of summed: `Concatenation`, the alternative to `InputEmbedding`, and what it costs.

A sum of k parts, each d wide, is their concatenation times k identity matrices on top of one another. To learn that
matrix instead costs k·d² parameters, where the sum has none, and 2·k·d² operations for each token, where the sum takes
(k - 1)·d. At BERT's size (k = 3, d = 768) those are 1.8 million parameters, and 3.5 million operations against 1536.
"""

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device
from rowspace.layers.inputs.parts import IdStreams, NamedParts
from rowspace.layers.tables.matryoshka import MatryoshkaEmbedding

__all__ = ["Concatenation"]


class Concatenation(NamedParts):
    """ids (batch, seq) → (batch, seq, w), where w is the width of all parts together: each keeps its own dimensions.

    Parts are named and called as those of `InputEmbedding`, and need not be equally wide; each must have an
    `embedding_dim`. Features with ids of their own come by name: `embed({"words": words, "tags": tags})`; learned and
    sinusoid positions get the ids of the first where none are given for them. With `embedding_dim` = d a linear map
    from w to d follows: `projection`, without a bias, made on `device` in `dtype`. `flops_per_token` counts its
    multiplications and additions, 2·w·d; lookups have none.

    Raises `UsageError` for segments where no part takes them, for a part without an `embedding_dim`, and whatever the
    parts raise. Source: Collobert and Weston 2008, section 3.1, for features of a word side by side.

    >>> from rowspace.layers import LearnedPosition, TokenEmbedding
    >>> embed = Concatenation(8, tokens=TokenEmbedding(100, 6), positions=LearnedPosition(16, 2))
    >>> embed(torch.tensor([[5, 6, 7]])).shape, embed.projection, embed.flops_per_token
    (torch.Size([1, 3, 8]), Linear(in_features=8, out_features=8, bias=False), 128)
    """

    def __init__(
        self,
        embedding_dim: int | None = None,
        *,
        device: Device = None,
        dtype: torch.dtype | None = None,
        **parts: nn.Module,
    ) -> None:
        super().__init__(parts)
        widths = [_width(name, part) for name, part in parts.items()]
        self.projection: nn.Linear | None = None
        if embedding_dim is not None:
            self.projection = nn.Linear(sum(widths), embedding_dim, bias=False, device=device, dtype=dtype)

    @property
    def flops_per_token(self) -> int:
        """Multiplications and additions of the projection for each token."""
        return 0 if self.projection is None else 2 * self.projection.weight.numel()

    def forward(
        self,
        ids: IdStreams,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        start: int = 0,
    ) -> Tensor:
        """Arguments are those of `InputEmbedding`; ids (batch, seq) for all parts, or a mapping of each part's own."""
        parts = self.contributions(ids, segments, mask=mask, positions=positions, start=start)
        side_by_side = torch.cat(list(parts.values()), dim=-1)
        if self.projection is not None:
            side_by_side = self.projection(side_by_side)
        return side_by_side


def _width(name: str, part: nn.Module) -> int:
    width = part.dim if isinstance(part, MatryoshkaEmbedding) else getattr(part, "embedding_dim", None)
    if not isinstance(width, int):
        raise UsageError(f"{name} has no embedding_dim, which says how wide its rows are; give it one")
    return width

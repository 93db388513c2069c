"""Segments: `SegmentEmbedding`, and `segments_of`, which computes them from separators.

BERT calls them token types: 0 for the first sentence, 1 for the second.
"""

import torch
from torch import Tensor

from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.tables.token_embedding import TokenEmbedding


class SegmentEmbedding(TokenEmbedding):
    """segment_ids (...) → (..., d): one learned row per segment, shared by all its tokens.

    Without `segment_ids`, all tokens are in segment 0, and the result is its row (d,), which broadcasts without a copy.

    Source: Devlin et al. 2018, section 3.

    Args:
        num_segments: Number of rows.
        embedding_dim: d.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1; in forward for a segment out of range.

    >>> import torch
    >>> segments = SegmentEmbedding(2, 4)
    >>> segments(torch.tensor([[0, 0, 1]])).shape, segments().shape
    (torch.Size([1, 3, 4]), torch.Size([4]))
    """

    def __init__(
        self, num_segments: int, embedding_dim: int, *, device: Device = None, dtype: torch.dtype | None = None
    ) -> None:
        require_positive(num_segments=num_segments)
        super().__init__(num_segments, embedding_dim, device=device, dtype=dtype)

    def forward(self, segment_ids: Tensor | None = None) -> Tensor:
        """segment_ids (...) → (..., d); None → the row of segment 0 (d,)."""
        return self.weight[0] if segment_ids is None else super().forward(segment_ids)


def segments_of(ids: Tensor, separator_id: int) -> Tensor:
    """Ids (batch, seq) → segment_ids (batch, seq) int64: a separator is the last token of its segment.

    Tokens after the last separator are padding and get 0, as in BERT's tokenizer.

    Args:
        ids: (batch, seq) integers.
        separator_id: Id of the separator (`[SEP]`).

    Returns:
        (batch, seq) int64.

    >>> import torch
    >>> segments_of(torch.tensor([[101, 7, 102, 8, 9, 102, 0, 0]]), separator_id=102)
    tensor([[0, 0, 0, 1, 1, 1, 0, 0]])
    """
    ends = (ids == separator_id).long()
    before = ends.cumsum(-1) - ends
    return before.masked_fill(before == ends.sum(-1, keepdim=True), 0)

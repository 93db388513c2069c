"""Which inputs can be fused, and their parts as arguments of `fused_input`."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.inputs.fused_input import fused_input
from rowspace.layers.inputs.parts import InputArguments
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.tables.segment import SegmentEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding

__all__ = ["check_fusible", "fused_rows"]

KINDS = (TokenEmbedding, SegmentEmbedding, LearnedPosition)


def check_fusible(parts: Sequence[nn.Module], norm: nn.Module | None) -> None:
    """Raise `UsageError` unless the parts are words, segments and learned positions, in this order, and a LayerNorm."""
    found = tuple(type(part) for part in parts)
    if found != KINDS or type(norm) is not nn.LayerNorm or norm.weight is None or norm.bias is None:
        names = ", ".join(kind.__name__ for kind in (*found, type(norm)))
        raise UsageError(
            "fused needs a TokenEmbedding, a SegmentEmbedding and a LearnedPosition, in this order, and a LayerNorm "
            f"with weight and bias, not {names}; leave fused off"
        )
    words = parts[0]
    if words.scale is not None or words.sparse:
        raise UsageError("fused needs words without scale and with dense gradients; leave fused off")


def fused_rows(parts: Sequence[Any], norm: Any, arguments: InputArguments) -> Tensor:
    """The rows (batch, seq, d) of parts and norm that `check_fusible` accepts."""
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
    )

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

__all__ = ["are_plain", "check_fusible", "fused_rows"]

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
    if parts[0].scale is not None:
        raise UsageError("fused needs words without scale; leave fused off")


def are_plain(parts: Sequence[nn.Module], norm: nn.Module | None) -> bool:
    """Whether a call of these parts, which `check_fusible` has accepted, would only look up rows and normalize them.

    Hooks, wrappers of PEFT, a forward replaced by accelerate, and the row reader of a deferred optimizer need the call.
    """
    if tuple(type(part) for part in parts) != KINDS or type(norm) is not nn.LayerNorm:
        return False
    words: Any = parts[0]
    return words.scale is None and words.row_reader is None and not any(_is_hooked(part) for part in (*parts, norm))


def _is_hooked(module: nn.Module) -> bool:
    hooks = (module._forward_pre_hooks, module._forward_hooks, module._backward_pre_hooks, module._backward_hooks)
    return any(hooks) or "forward" in vars(module)


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
        sparse=words.sparse,
    )

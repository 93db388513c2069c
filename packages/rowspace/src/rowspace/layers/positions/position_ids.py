"""Position ids: the index of each token, or its number without the padding."""

from typing import Literal

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError

__all__ = [
    "PositionIdSource",
    "position_ids_from_length",
    "position_ids_from_mask",
    "positions_of_packed",
    "texts_of_packed",
]

PositionIdSource = Literal["length", "mask", "ids"]
"""What position ids are counted from: the length of a text, its mask, or its ids that are not padding."""


def position_ids_from_length(ids: Tensor, *, start: int = 0) -> Tensor:
    """Return `start`, start + 1, …, the same for every text of a batch (BERT, GPT-2, BART).

    Args:
        ids: `(..., seq)`; only the length and the device are used.
        start: Number of tokens in the cache.

    Returns:
        `(seq,)` int64.

    >>> position_ids_from_length(torch.zeros(2, 3), start=4)
    tensor([4, 5, 6])
    """
    return torch.arange(start, start + ids.shape[-1], device=ids.device)


def position_ids_from_mask(mask: Tensor, *, start: int = 0) -> Tensor:
    """Return the number of each token of a text without its padding, so that padding on the left shifts nothing.

    OPT and RoBERTa use these.

    Args:
        mask: `(..., seq)`, 1 or True for tokens, 0 or False for padding.
        start: Number of tokens in the cache.

    Returns:
        `(..., seq)` int64, -1 for padding.

    >>> position_ids_from_mask(torch.tensor([[0, 0, 1, 1], [1, 1, 1, 0]]))
    tensor([[-1, -1,  0,  1],
            [ 0,  1,  2, -1]])
    """
    mask = mask.long()
    return (mask.cumsum(-1) + start) * mask - 1


def count_positions(
    ids: Tensor, source: PositionIdSource, *, mask: Tensor | None, start: int, padding_idx: int | None
) -> Tensor:
    """Position ids of `ids`, `(batch, seq)`: `(seq,)` or `(batch, seq)`, -1 for padding.

    The mask, `(batch, start + seq)`, includes the tokens in the cache.
    """
    if padding_idx is not None:  # source == "ids"
        return position_ids_from_mask(ids != padding_idx, start=start)
    if source == "length" or mask is None:
        return position_ids_from_length(ids, start=start)
    if mask.shape[-1] != start + ids.shape[-1]:
        raise UsageError(
            f"mask has {plural(mask.shape[-1], 'token')}, but there are {start} in the cache and {ids.shape[-1]} ids; "
            f"pass a mask of {start + ids.shape[-1]}"
        )
    return position_ids_from_mask(mask)[..., start:]


def check_start(start: int) -> None:
    """Raise `UsageError` for a negative number of tokens in the cache."""
    if start < 0:
        raise UsageError(f"start must be 0 or more, the number of tokens in the cache, not {start}")


def check_source(source: PositionIdSource, padding_idx: int | None) -> PositionIdSource:
    """Return the source, or raise `UsageError` if it is not valid or does not match `padding_idx`."""
    if source not in ("length", "mask", "ids"):
        raise UsageError(f"position_ids_from must be 'length', 'mask' or 'ids', not {source!r}")
    if (source == "ids") != (padding_idx is not None):
        raise UsageError(
            f"position_ids_from is {source!r} and padding_idx is {padding_idx}, but 'ids' needs padding_idx and the "
            f"others do not use it; pass both or neither"
        )
    return source


def positions_of_packed(cu_seqlens: Tensor, total: int | None = None) -> Tensor:
    """Return the position of each token in its text, for texts packed one after the other without padding.

    Args:
        cu_seqlens: `(texts + 1,)` integers, where each text begins and the last one ends: 0, …, total, as
            flash-attention takes them.
        total: The last of `cu_seqlens`; `torch.compile` needs it, since the shape of the result depends on it.

    Returns:
        `(total,)` int64.

    Raises:
        UsageError: For numbers that do not begin with 0, or decrease, and for another total.

    >>> positions_of_packed(torch.tensor([0, 3, 5]))
    tensor([0, 1, 2, 0, 1])
    """
    texts = texts_of_packed(cu_seqlens, total)
    return torch.arange(texts.shape[0], device=texts.device) - cu_seqlens.long()[texts]


def texts_of_packed(cu_seqlens: Tensor, total: int | None = None) -> Tensor:
    """Return the number of the text of each token, for texts packed one after the other without padding.

    Tokens attend to those of the same number only.

    Args:
        cu_seqlens: As in `positions_of_packed`.
        total: As in `positions_of_packed`.

    Returns:
        `(total,)` int64.

    Raises:
        UsageError: As in `positions_of_packed`.

    >>> texts_of_packed(torch.tensor([0, 3, 5]))
    tensor([0, 0, 0, 1, 1])
    """
    if cu_seqlens.dim() != 1 or not cu_seqlens.shape[0] or cu_seqlens.is_floating_point() or cu_seqlens.is_complex():
        raise UsageError(
            f"cu_seqlens must be integers of shape (texts + 1,), got {cu_seqlens.dtype} {tuple(cu_seqlens.shape)}"
        )
    lengths = cu_seqlens.long().diff()
    if not torch.compiler.is_compiling():
        if cu_seqlens[0] != 0 or (lengths < 0).any():
            raise UsageError(
                f"cu_seqlens must begin with 0 and not decrease, got {cu_seqlens.tolist()[:8]}; pass where each text "
                "begins, and the total"
            )
        if total is not None and total != cu_seqlens[-1]:
            raise UsageError(
                f"total is {total}, but cu_seqlens ends with {cu_seqlens[-1]}; pass the last of cu_seqlens"
            )
    if torch.onnx.is_in_onnx_export() and total is not None:  # ONNX cannot repeat by a tensor
        return (torch.arange(total, device=lengths.device).unsqueeze(1) >= cu_seqlens[1:]).sum(1)
    return torch.repeat_interleave(torch.arange(lengths.shape[0], device=lengths.device), lengths, output_size=total)

"""How models number the tokens of a sequence: by index, or by counting only the tokens that are not padding."""

from typing import Literal

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError

__all__ = ["Counting", "position_ids_from_length", "position_ids_from_mask"]

Counting = Literal["place", "mask", "ids"]


def position_ids_from_length(ids: Tensor, *, start: int = 0) -> Tensor:
    """`start`, start + 1, …: `(seq,)` int64, the same for every text of a batch `(..., seq)` (BERT, GPT-2, BART).

    `start` is the number of tokens that are in the cache already.

    >>> position_ids_from_length(torch.zeros(2, 3), start=4)
    tensor([4, 5, 6])
    """
    return torch.arange(start, start + ids.shape[-1], device=ids.device)


def position_ids_from_mask(mask: Tensor, *, start: int = 0) -> Tensor:
    """The number of each token among the tokens of its text: int64 of the shape of `mask`; padding gets -1.

    mask: `(..., seq)`, 1 or True for tokens, 0 or False for padding. Padding on the left does not shift the numbers:
    that is why OPT counts so, and RoBERTa. `start` is the number of tokens before these.

    >>> position_ids_from_mask(torch.tensor([[0, 0, 1, 1], [1, 1, 1, 0]]))
    tensor([[-1, -1,  0,  1],
            [ 0,  1,  2, -1]])
    """
    mask = mask.long()
    return (mask.cumsum(-1) + start) * mask - 1


def count_positions(
    ids: Tensor, counting: Counting, *, mask: Tensor | None, start: int, padding_idx: int | None
) -> Tensor:
    """The numbers of `ids`, `(batch, seq)`, in one of the three ways: `(seq,)` or `(batch, seq)`; padding gets -1.

    A mask of the tokens in the cache too, `(batch, start + seq)`, is counted whole and then cut.
    """
    if padding_idx is not None:  # counting by ids
        return position_ids_from_mask(ids != padding_idx, start=start)
    if counting == "place" or mask is None:
        return position_ids_from_length(ids, start=start)
    if mask.shape[-1] != start + ids.shape[-1]:
        raise UsageError(
            f"mask covers {plural(mask.shape[-1], 'token')}, but there are {start} before these {ids.shape[-1]}; pass "
            f"the mask of all {start + ids.shape[-1]}"
        )
    return position_ids_from_mask(mask)[..., start:]


def check_counting(counting: Counting, padding_idx: int | None) -> Counting:
    """`counting` itself; `UsageError` for another word, or where ids are to be told from padding that has no id."""
    if counting not in ("place", "mask", "ids"):
        raise UsageError(f"counting is {counting!r}, but tokens are counted by 'place', 'mask' or 'ids'; choose one")
    if (counting == "ids") != (padding_idx is not None):
        raise UsageError(
            f"counting is {counting!r} and padding_idx {padding_idx}, but padding_idx is needed for counting by 'ids', "
            f"and for nothing else; pass both or neither"
        )
    return counting

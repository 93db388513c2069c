"""Conversion of query and key weights between the two rotary layouts.

A checkpoint of Meta's Llama release (interleaved) can be used with the half layout after the rows of its q and k
projections are reordered, head by head, as in transformers' converter.
"""

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.rotary.position import RotaryLayout, check_layout, check_rotary_dim

__all__ = ["permute_rotary"]


def permute_rotary(weight: Tensor, num_heads: int, *, to: RotaryLayout, rotary_dim: int | None = None) -> Tensor:
    """Reorder the weight (or bias) of a q or k projection for the other rotary layout; scores q·k do not change.

    For a head of 6, row by row::

        interleaved  0 1 2 3 4 5    pairs (0,1) (2,3) (4,5)
        half         0 2 4 1 3 5    the same pairs, now 3 apart

    Args:
        weight: `(num_heads · head_dim, ...)`.
        num_heads: Number of heads of this projection; keys may have fewer.
        to: The new layout.
        rotary_dim: Number of rotated components of a head, by default all; the other rows do not move.

    Returns:
        A new tensor of the shape of `weight`.

    Raises:
        UsageError: If the number of rows is not a multiple of `num_heads`.

    >>> permute_rotary(torch.arange(6), 1, to="half")
    tensor([0, 2, 4, 1, 3, 5])
    >>> permute_rotary(torch.tensor([0, 2, 4, 1, 3, 5]), 1, to="interleaved")
    tensor([0, 1, 2, 3, 4, 5])
    """
    if num_heads < 1 or weight.shape[0] % num_heads:
        raise UsageError(
            f"weight has {weight.shape[0]} rows, which is not a multiple of {num_heads} heads; pass the number of "
            f"heads of this projection (keys often have fewer)"
        )
    head_dim = weight.shape[0] // num_heads
    rotated = check_rotary_dim(head_dim if rotary_dim is None else rotary_dim, head_dim)
    order = torch.arange(head_dim, device=weight.device)
    pairs = order[:rotated].view(-1, 2) if check_layout(to) == "half" else order[:rotated].view(2, -1)
    order = torch.cat((pairs.t().flatten(), order[rotated:]))
    return weight.reshape(num_heads, head_dim, -1)[:, order].reshape(weight.shape)

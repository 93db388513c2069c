"""T5's relative bias: a learned number for each head and each bucket of offsets, added to the scores."""

import math

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

__all__ = ["RelativeBias", "relative_buckets"]


class RelativeBias(nn.Module):
    """queries `(..., q)` and keys `(..., k)`, integer positions → bias `(..., heads, q, k)`.

    `weight`: `(num_buckets, num_heads)`, T5's `relative_attention_bias`, which its first block holds for all. Only
    the queries asked for are computed: a decoding step asks for one. The gradient of a bucket is summed in float32
    whatever the dtype, as in `lookup`. `bidirectional` for encoders; decoders see the past only. Raises `UsageError`
    for buckets that cannot be split. Source: Raffel et al. 2020, section 2.1.

    >>> bias = RelativeBias(4)
    >>> bias(torch.arange(5, 6), torch.arange(6)).shape
    torch.Size([4, 1, 6])
    """

    def __init__(
        self,
        num_heads: int,
        *,
        num_buckets: int = 32,
        max_distance: int = 128,
        bidirectional: bool = True,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_heads=num_heads)
        _check_buckets(num_buckets, max_distance, bidirectional)
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.bidirectional = bidirectional
        self.init = init
        self.weight = nn.Parameter(torch.empty(num_buckets, num_heads, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Begin again, as `init` says, drawing from `generator` where one is given."""
        init_rows_(self.weight, self.init, generator=generator)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """As the class says; in the dtype of the weight."""
        offsets = keys.unsqueeze(-2) - queries.unsqueeze(-1)  # (..., q, k)
        buckets = relative_buckets(
            offsets,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
        return lookup(buckets, self.weight).movedim(-1, -3)  # (..., heads, q, k)

    def extra_repr(self) -> str:
        """What `print` shows between the brackets."""
        heads = self.weight.shape[1]
        return f"{heads}, buckets={self.num_buckets}, distance={self.max_distance}, bidirectional={self.bidirectional}"


def relative_buckets(
    offsets: Tensor, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Tensor:
    """The bucket of each offset `key - query`: int64 of the same shape, 0 … num_buckets - 1.

    Bidirectional: half of the buckets are for keys before the query, half for keys after it; else all are for keys
    before it, and later ones share bucket 0. Of the buckets of a side, half hold one distance each, the others grow
    by equal ratios up to `max_distance`, and the last holds all that lies beyond.

    >>> relative_buckets(torch.tensor([0, -1, -7, -8, -20, -127, -1000, 1, 9]))
    tensor([ 0,  1,  7,  8, 10, 15, 15, 17, 24])
    """
    _check_buckets(num_buckets, max_distance, bidirectional)
    if bidirectional:
        side = num_buckets // 2
        first, distance = (offsets > 0).long() * side, offsets.abs()
    else:
        side = num_buckets
        first, distance = torch.zeros_like(offsets), -offsets.clamp(max=0)
    exact = side // 2
    # In float32 and in T5's order: a boundary that falls on a whole number is decided by the rounding.
    octaves = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (octaves * (side - exact)).long()).clamp(max=side - 1)
    return first + torch.where(distance < exact, distance, far)


def _check_buckets(num_buckets: int, max_distance: int, bidirectional: bool) -> None:
    least = 4 if bidirectional else 2
    if num_buckets < least or (bidirectional and num_buckets % 2):
        even = "an even number" if bidirectional else "a number"
        raise UsageError(f"num_buckets is {num_buckets}, but must be {even} of at least {least}; T5 has 32")
    exact = num_buckets // (4 if bidirectional else 2)
    if max_distance <= exact:
        raise UsageError(f"max_distance is {max_distance}, but distances up to {exact} have a bucket each; choose more")

"""T5's relative bias: a learned number per head and bucket of offsets, added to the attention scores."""

import math

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.tables.init import Init, init_rows_
from rowspace.layers.tables.lookup import lookup

__all__ = ["RelativeBias", "relative_buckets"]


class RelativeBias(nn.Module):
    """Integer positions of queries `(..., q)` and keys `(..., k)` → bias `(..., heads, q, k)`.

    `weight`, `(num_buckets, num_heads)`, is T5's `relative_attention_bias`, which is in the first block and shared by
    all. Only the given queries are computed, such as one in a decoding step. The gradient of a bucket is summed in
    float32 for every dtype, as in `lookup`.

    Source: Raffel et al. 2020, section 2.1.

    Args:
        num_heads: Number of heads.
        num_buckets: See `relative_buckets`.
        max_distance: See `relative_buckets`.
        bidirectional: True for encoders, False for decoders, which attend only to earlier keys.
        init: Initialization of the weight, see `init_rows_`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For invalid numbers of heads or buckets, or a `max_distance` that is too small.

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
        """Initialize the weight by `init`.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        init_rows_(self.weight, self.init, generator=generator)

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Queries `(..., q)` and keys `(..., k)` → `(..., heads, q, k)` in the dtype of the weight."""
        offsets = keys.unsqueeze(-2) - queries.unsqueeze(-1)  # (..., q, k)
        buckets = relative_buckets(
            offsets,
            num_buckets=self.num_buckets,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )
        return lookup(buckets, self.weight).movedim(-1, -3)  # (..., heads, q, k)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        heads = self.weight.shape[1]
        return f"{heads}, buckets={self.num_buckets}, distance={self.max_distance}, bidirectional={self.bidirectional}"


def relative_buckets(
    offsets: Tensor, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
) -> Tensor:
    """Return the bucket of each offset.

    Half of the buckets of a direction have one distance each; the others grow geometrically up to `max_distance`, and
    the last one includes all larger distances.

    Args:
        offsets: (...) integers, position of the key - position of the query.
        num_buckets: Number of buckets.
        max_distance: Distance from which on all offsets share the last bucket.
        bidirectional: If True, half of the buckets are for earlier keys and half for later ones; if False, all are for
            earlier keys, and later keys share bucket 0.

    Returns:
        (...) int64 from 0 to `num_buckets` - 1.

    Raises:
        UsageError: For an invalid number of buckets, or a `max_distance` that is too small.

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
    # In float32 and in T5's order of operations: rounding decides where the boundary is an integer.
    octaves = torch.log(distance.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = (exact + (octaves * (side - exact)).long()).clamp(max=side - 1)
    return first + torch.where(distance < exact, distance, far)


def _check_buckets(num_buckets: int, max_distance: int, bidirectional: bool) -> None:
    minimum = 4 if bidirectional else 2
    if num_buckets < minimum or (bidirectional and num_buckets % 2):
        even = "an even number" if bidirectional else "a number"
        raise UsageError(f"num_buckets must be {even} of at least {minimum}, not {num_buckets}; T5 has 32")
    exact = num_buckets // (4 if bidirectional else 2)
    if not exact < max_distance < math.inf:
        raise UsageError(
            f"max_distance must be above {exact}, the distances with their own bucket, not {max_distance}; increase it"
        )

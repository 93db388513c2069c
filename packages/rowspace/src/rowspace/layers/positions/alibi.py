"""ALiBi: instead of position vectors, a penalty on attention scores that grows linearly with distance."""

import math
from typing import Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_above, require_positive
from rowspace.layers.base_modules import ConstantBuffers

__all__ = ["Alibi", "alibi_slopes"]


class Alibi(ConstantBuffers):
    """The bias `slope · (key position - query position)` for each head: 0 on the diagonal, negative for earlier keys.

    Only the given queries are computed: a decoding step has one query and gets `(heads, 1, k)`. Softmax is invariant to
    a constant added to a row, so with a causal mask one row can serve all queries: with the last position as the only
    query it is MPT's bias, with 0 as the only query it is BLOOM's, for which `key_bias` skips padding.

    Slopes are float32; the bias is computed in float32 and cast once.
    Source: Press et al. 2022; bit for bit transformers' MPT, and with `rounding="bloom"` its BLOOM.

    Args:
        num_heads: Number of heads.
        max_bias: See `alibi_slopes`.
        rounding: See `alibi_slopes`.
        symmetric: Use the distance instead of the offset, so later keys are penalized too (encoders).
        device: Device of the slopes.
        dtype: Ignored.

    Raises:
        UsageError: For fewer than 1 head or an invalid `rounding` or `max_bias`.

    >>> positions = torch.arange(3)
    >>> Alibi(2)(positions, positions)[0]
    tensor([[ 0.0000,  0.0625,  0.1250],
            [-0.0625,  0.0000,  0.0625],
            [-0.1250, -0.0625,  0.0000]])
    >>> Alibi(2, symmetric=True)
    Alibi(2, symmetric=True)
    """

    slopes: Tensor

    def __init__(
        self,
        num_heads: int,
        *,
        max_bias: float = 8.0,
        rounding: Literal["mpt", "bloom"] = "mpt",
        symmetric: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(device=device, dtype=dtype)
        self.num_heads = num_heads
        self.symmetric = symmetric
        self.register_constant("slopes", alibi_slopes(num_heads, max_bias=max_bias, rounding=rounding))

    def forward(self, queries: Tensor, keys: Tensor, *, dtype: torch.dtype = torch.float32) -> Tensor:
        """Integer positions of queries `(..., q)` and keys `(..., k)` → `(..., heads, q, k)` in `dtype`."""
        offsets = (keys.unsqueeze(-2) - queries.unsqueeze(-1)).unsqueeze(-3)  # (..., 1, q, k)
        if self.symmetric:
            offsets = -offsets.abs()
        return (self.slopes.to(offsets.device).view(-1, 1, 1) * offsets).to(dtype)

    def key_bias(self, mask: Tensor, *, dtype: torch.dtype = torch.float32) -> Tensor:
        """Compute BLOOM's bias, one row for all queries.

        Args:
            mask: `(batch, k)`, 1 for tokens and 0 for padding, which is not counted and gets a bias of 0.
            dtype: Dtype of the result.

        Returns:
            `(batch, heads, 1, k)`.
        """
        mask = mask.long()
        keys = (mask.cumsum(-1) - 1) * mask
        bias: Tensor = self(torch.zeros_like(keys[..., :1]), keys, dtype=dtype)
        return bias

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.num_heads}, symmetric={self.symmetric}"


def alibi_slopes(num_heads: int, *, max_bias: float = 8.0, rounding: Literal["mpt", "bloom"] = "mpt") -> Tensor:
    """Return the slopes `2^(-max_bias · i / n)` for i = 1 … n, if n = num_heads is a power of two.

    Otherwise they are the slopes of the power of two below n, followed by every second slope of the power above,
    starting with its first.

    Args:
        num_heads: n.
        max_bias: Exponent of the last slope.
        rounding: "bloom" computes powers of a base rounded to float32, as BLOOM does, which changes the last bits from
            16 heads on.

    Returns:
        `(num_heads,)` float32 on the CPU.

    Raises:
        UsageError: For fewer than 1 head, another `rounding`, or a `max_bias` other than 8 with "bloom".

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    >>> alibi_slopes(3)
    tensor([0.0625, 0.0039, 0.2500])
    """
    require_positive(num_heads=num_heads)
    if rounding not in ("mpt", "bloom"):
        raise UsageError(f"rounding must be 'mpt' or 'bloom', not {rounding!r}")
    require_above(0, max_bias=max_bias)
    if rounding == "bloom":
        if max_bias != 8.0:
            raise UsageError(f"max_bias must be 8 with rounding='bloom', not {max_bias}; use rounding='mpt'")
        below = 2 ** math.floor(math.log2(num_heads))
        return torch.cat((_powers(below, below, 1), _powers(2 * below, num_heads - below, 2)))
    above = 2 ** math.ceil(math.log2(num_heads))
    exponents = torch.arange(1, above + 1, dtype=torch.float32, device="cpu") * (max_bias / above)
    slopes = 1.0 / torch.pow(2, exponents)
    if above != num_heads:  # slopes[1::2] are the slopes of the power below
        slopes = torch.cat((slopes[1::2], slopes[::2]))[:num_heads]
    return slopes


def _powers(count: int, first: int, step: int) -> Tensor:
    """The first `first` of every `step` slopes of `count` heads with BLOOM's rounding: powers of a float32 base."""
    base = torch.full((), 2 ** (-8 / count), dtype=torch.float32, device="cpu")
    return torch.pow(base, torch.arange(1, 1 + step * first, step, dtype=torch.int32, device="cpu"))

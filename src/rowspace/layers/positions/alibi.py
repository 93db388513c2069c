"""ALiBi: no position vectors, only a penalty on scores that grows with distance, with one slope per head."""

import math
from typing import Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.constants import ConstantBuffers

__all__ = ["Alibi", "alibi_slopes"]


class Alibi(ConstantBuffers):
    """The bias `slope · (key position - query position)` for each head: 0 on the diagonal, negative into the past.

    Only what is asked for is computed: one decoding step asks for one query and gets `(heads, 1, k)`. Under a causal
    mask softmax does not see a constant added to a row, so that one row serves all queries: with the last position as
    the only query it is MPT's bias, with 0 as the only query it is BLOOM's, whose `key_bias` counts around padding.
    With `symmetric` the future is as far away as the past (encoders).

    Slopes are float32; the bias is computed in float32 and cast once. Raises `UsageError` for fewer heads than one.
    Source: Press et al. 2022; bit for bit transformers' MPT, and with `rounding="bloom"` its BLOOM.

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
        """queries: `(..., q)`, keys: `(..., k)`, integer positions → `(..., heads, q, k)`."""
        offsets = (keys.unsqueeze(-2) - queries.unsqueeze(-1)).unsqueeze(-3)  # (..., 1, q, k)
        if self.symmetric:
            offsets = -offsets.abs()
        return (self.slopes.to(offsets.device).view(-1, 1, 1) * offsets).to(dtype)

    def key_bias(self, mask: Tensor, *, dtype: torch.dtype = torch.float32) -> Tensor:
        """BLOOM's bias, one row for all queries: mask `(batch, k)` → `(batch, heads, 1, k)`.

        The mask is 1 for tokens and 0 for padding. Tokens are counted without the padding, which itself gets 0.
        """
        mask = mask.long()
        keys = (mask.cumsum(-1) - 1) * mask
        bias: Tensor = self(torch.zeros_like(keys[..., :1]), keys, dtype=dtype)
        return bias

    def extra_repr(self) -> str:
        """What `print` shows between the brackets."""
        return f"{self.num_heads}, symmetric={self.symmetric}"


def alibi_slopes(num_heads: int, *, max_bias: float = 8.0, rounding: Literal["mpt", "bloom"] = "mpt") -> Tensor:
    """`(num_heads,)` float32 on the CPU: `2^(-max_bias · i / n)` for i = 1 … n, where n = num_heads is a power of two.

    Else: the slopes of the power of two below, then every other slope of the one above, from its first. BLOOM takes
    powers of a base that was rounded to float32 first, which moves the last bits from 16 heads on: `rounding="bloom"`.
    Raises `UsageError` for fewer heads than one, and for another `max_bias` than BLOOM's own 8.

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    >>> alibi_slopes(3)
    tensor([0.0625, 0.0039, 0.2500])
    """
    require_positive(num_heads=num_heads)
    if rounding not in ("mpt", "bloom"):
        raise UsageError(f"rounding is {rounding!r}, but slopes are known as 'mpt' and 'bloom' round them; choose one")
    if rounding == "bloom":
        if max_bias != 8.0:
            raise UsageError(f"max_bias is {max_bias}, but BLOOM's slopes end at 8; leave rounding at 'mpt'")
        below = 2 ** math.floor(math.log2(num_heads))
        return torch.cat((_powers(below, below, 1), _powers(2 * below, num_heads - below, 2)))
    above = 2 ** math.ceil(math.log2(num_heads))
    exponents = torch.arange(1, above + 1, dtype=torch.float32, device="cpu") * (max_bias / above)
    slopes = 1.0 / torch.pow(2, exponents)
    if above != num_heads:  # every second slope of the power above is a slope of the power below
        slopes = torch.cat((slopes[1::2], slopes[::2]))[:num_heads]
    return slopes


def _powers(count: int, first: int, step: int) -> Tensor:
    """`first` slopes of `count` heads, `step` apart, as BLOOM rounds them: powers of a float32 base."""
    base = torch.full((), 2 ** (-8 / count), dtype=torch.float32, device="cpu")
    return torch.pow(base, torch.arange(1, 1 + step * first, step, dtype=torch.int32, device="cpu"))

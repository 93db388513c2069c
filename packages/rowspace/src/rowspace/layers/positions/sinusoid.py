"""Positions as sines and cosines of decreasing frequency: no parameters, and no maximum length."""

import math
from typing import Any, Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_above, require_positive
from rowspace.layers.constants import ConstantBuffers
from rowspace.layers.positions.position_ids import check_start, position_ids_from_length, position_ids_from_mask
from rowspace.layers.tables.gather import require_tensor

__all__ = ["SinusoidLayout", "SinusoidPosition", "sinusoid_frequencies"]

SinusoidLayout = Literal["interleaved", "concatenated"]
"""The order of the sines and cosines of a row; `SinusoidPosition` shows both."""


class SinusoidPosition(ConstantBuffers):
    """Row p is `sin(p·f)` and `cos(p·f)` for d/2 frequencies f, from 1 down to about 1/base. No parameters.

    The two layouts, for d = 6::

        interleaved    sin f0  cos f0  sin f1  cos f1  sin f2  cos f2    Vaswani et al. 2017, DistilBERT
        concatenated   sin f0  sin f1  sin f2  cos f0  cos f1  cos f2    tensor2tensor, fairseq, Marian

    The rows of the longest text so far are cached, but not saved, and not used while compiling. Do not modify the
    result in place.

    Args:
        embedding_dim: d, an even number.
        layout: "interleaved" or "concatenated".
        base: Base of the frequencies.
        endpoint: If False, the frequencies are `base^(-2i/d)`, and the lowest is above 1/base; if True, they are
            `base^(-i/(d/2 - 1))`, and the lowest is 1/base (tensor2tensor, fairseq).
        angle_dtype: float32 as in tensor2tensor and fairseq, or float64 as in tables made with NumPy (Marian,
            DistilBERT). The error of float32 angles is about position / 10⁷.
        padding_idx: If given, position ids do not count padding and start at `padding_idx + 1`, and padding gets zeros,
            as in fairseq.
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: For an odd d, another layout, or a base that is not above 1 and finite; in forward for a negative
            `start`.

    >>> SinusoidPosition(4, base=100.0)(torch.zeros(1, 2))
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0998, 0.9950]])
    >>> SinusoidPosition(512)(torch.zeros(1, 3)).norm(dim=-1)  # √(d/2) at every position
    tensor([16., 16., 16.])
    """

    frequencies: Tensor

    def __init__(
        self,
        embedding_dim: int,
        *,
        layout: SinusoidLayout = "interleaved",
        base: float = 10000.0,
        endpoint: bool = False,
        angle_dtype: torch.dtype = torch.float32,
        padding_idx: int | None = None,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(device=device, dtype=dtype)
        if embedding_dim < 2 or embedding_dim % 2:
            raise UsageError(f"embedding_dim must be even, for pairs of sine and cosine, not {embedding_dim}")
        if layout not in ("interleaved", "concatenated"):
            raise UsageError(f"layout must be 'interleaved' or 'concatenated', not {layout!r}")
        self.embedding_dim = embedding_dim
        self.layout = layout
        self.padding_idx = padding_idx
        self._cached_rows: Tensor | None = None
        frequencies = sinusoid_frequencies(embedding_dim // 2, base=base, endpoint=endpoint, dtype=angle_dtype)
        self.register_constant("frequencies", frequencies)

    def forward(
        self,
        ids: Tensor,
        *,
        positions: Tensor | None = None,
        start: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> Tensor:
        """Compute the rows of the positions of a batch.

        Args:
            ids: `(batch, seq)`; only the shape is used, except with `padding_idx`.
            positions: `(...)` numbers to use instead.
            start: Number of tokens in the cache, the first position.
            dtype: Dtype of the result, which is cast once.

        Returns:
            `(seq, d)`; `(batch, seq, d)` with `padding_idx`, `(..., d)` with `positions`.
        """
        require_tensor(ids, "ids")
        check_start(start)
        if positions is not None:
            return self._rows(positions).to(dtype)
        if self.padding_idx is not None:
            counted = position_ids_from_mask(torch.ne(ids, self.padding_idx), start=start) + self.padding_idx + 1
            return self._rows(counted).masked_fill((counted == self.padding_idx).unsqueeze(-1), 0).to(dtype)
        if torch.compiler.is_compiling() or type(ids) is not Tensor:  # a fake or a distributed tensor: do not cache
            return self._rows(position_ids_from_length(ids, start=start)).to(dtype)
        length = start + ids.shape[-1]
        return self._rows_up_to(length, ids.device)[start:length].to(dtype)

    def _rows(self, positions: Tensor) -> Tensor:
        """`(...)` → `(..., d)` float32."""
        frequencies = self.frequencies.to(positions.device)
        angles = positions.unsqueeze(-1).to(frequencies.dtype) * frequencies
        sine, cosine = angles.sin().float(), angles.cos().float()
        if self.layout == "concatenated":
            return torch.cat((sine, cosine), dim=-1)
        return torch.stack((sine, cosine), dim=-1).flatten(-2)

    @torch.inference_mode(False)
    def _rows_up_to(self, length: int, device: torch.device) -> Tensor:
        """At least `length` rows: the cached ones, or new ones up to a power of two."""
        rows = self._cached_rows
        if rows is None or rows.shape[0] < length or rows.device != device:
            rows = self._rows(torch.arange(1 << (length - 1).bit_length() if length else 0, device=device))
            if torch.func.debug_unwrap(rows) is rows:  # inside torch.func.grad it is a wrapper with a short lifetime
                self._cached_rows = rows
        return rows

    def __getstate__(self) -> dict[str, Any]:
        """The state of a copy or a pickle, without the cached rows."""
        return {**self.__dict__, "_cached_rows": None}

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.embedding_dim}, layout={self.layout!r}"


def sinusoid_frequencies(
    count: int, *, base: float = 10000.0, endpoint: bool = False, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return `base^(-i / count)` for i = 0 … count - 1, or with `endpoint` `base^(-i / (count - 1))`.

    Args:
        count: Number of frequencies.
        base: Base of the powers.
        endpoint: Whether the last frequency is 1/base.
        dtype: In which they are computed.

    Returns:
        `(count,)` on the CPU.

    Raises:
        UsageError: For a count below 1, or a base that is not above 1 and finite.

    >>> sinusoid_frequencies(2, base=100.0), sinusoid_frequencies(2, base=100.0, endpoint=True)
    (tensor([1.0000, 0.1000]), tensor([1.0000, 0.0100]))
    """
    require_positive(count=count)
    require_above(1, base=base)
    steps = max(count - 1, 1) if endpoint else count
    index = torch.arange(count, dtype=dtype, device="cpu")
    if dtype == torch.float32:  # as in tensor2tensor and fairseq, for the same rounding
        return torch.exp(index * -(math.log(base) / steps))
    return base ** -(index / steps)

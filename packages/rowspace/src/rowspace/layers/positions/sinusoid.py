"""Positions as sines and cosines of decreasing frequency: no parameters, and no maximum length."""

import math
from typing import Any, Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_above, require_not_negative, require_positive
from rowspace.layers.base_modules import ConstantBuffers
from rowspace.layers.positions.position_ids import check_start, position_ids_from_length, position_ids_from_mask
from rowspace.layers.tables.gather import require_tensor

__all__ = ["SinusoidGrid", "SinusoidLayout", "SinusoidPosition", "sinusoid_frequencies"]

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
        normalized: Divide rows by √d (Canary).
        reciprocal: Compute float32 frequencies as `1 / base^(2i/d)`, whose last bits differ (CTRL).
        offset: The number in the formula of the first position (XGLM has 2), added to `positions` too.
        padding_idx: If given, position ids do not count padding and start at `padding_idx + 1`, and padding gets zeros,
            as in fairseq.
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: For an odd d, another layout, a negative offset, or a base that is not above 1 and finite; in
            forward for a negative `start`.

    >>> SinusoidPosition(4, base=100.0)(torch.zeros(1, 2))
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0998, 0.9950]])
    >>> SinusoidPosition(512)(torch.zeros(1, 3)).norm(dim=-1)  # √(d/2) at every position
    tensor([16., 16., 16.])
    """

    frequencies: Tensor

    def __init__(  # noqa: PLR0913  the options of the published tables, and those of every module
        self,
        embedding_dim: int,
        *,
        layout: SinusoidLayout = "interleaved",
        base: float = 10000.0,
        endpoint: bool = False,
        angle_dtype: torch.dtype = torch.float32,
        reciprocal: bool = False,
        normalized: bool = False,
        offset: int = 0,
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
        require_not_negative(offset=offset)
        self.layout = layout
        self.normalized = normalized
        self.offset = offset
        self.padding_idx = padding_idx
        self._cached_rows: Tensor | None = None
        frequencies = sinusoid_frequencies(
            embedding_dim // 2, base=base, endpoint=endpoint, dtype=angle_dtype, reciprocal=reciprocal
        )
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
            return self._rows(positions + self.offset).to(dtype)
        if self.padding_idx is not None:
            counted = position_ids_from_mask(torch.ne(ids, self.padding_idx), start=start) + self.padding_idx + 1
            return self._rows(counted).masked_fill((counted == self.padding_idx).unsqueeze(-1), 0).to(dtype)
        start += self.offset
        if torch.compiler.is_compiling() or type(ids) is not Tensor:  # a fake or a distributed tensor: do not cache
            return self._rows(position_ids_from_length(ids, start=start)).to(dtype)
        length = start + ids.shape[-1]
        return self._rows_up_to(length, ids.device)[start:length].to(dtype)

    def _rows(self, positions: Tensor) -> Tensor:
        """`(...)` → `(..., d)` float32."""
        frequencies = self.frequencies.to(positions.device)
        angles = positions.unsqueeze(-1).to(frequencies.dtype) * frequencies
        sine, cosine = angles.sin().float(), angles.cos().float()
        if self.normalized:
            sine, cosine = sine / math.sqrt(self.embedding_dim), cosine / math.sqrt(self.embedding_dim)
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
    count: int,
    *,
    base: float = 10000.0,
    endpoint: bool = False,
    dtype: torch.dtype = torch.float32,
    reciprocal: bool = False,
) -> Tensor:
    """Return `base^(-i / count)` for i = 0 … count - 1, or with `endpoint` `base^(-i / (count - 1))`.

    Args:
        count: Number of frequencies.
        base: Base of the powers.
        endpoint: Whether the last frequency is 1/base.
        dtype: In which they are computed.
        reciprocal: As in `SinusoidPosition`.

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
    if reciprocal:
        return 1.0 / base ** (index / steps)
    if dtype == torch.float32:  # as in tensor2tensor and fairseq, for the same rounding
        return torch.exp(index * -(math.log(base) / steps))
    return base ** -(index / steps)


class SinusoidGrid(ConstantBuffers):
    """A row for each patch of a grid, row by row: half of the components encode the column x, half the row y.

    ::

        first="width"     sin(x·f)  cos(x·f)  sin(y·f)  cos(y·f)    ViT-MAE, DiT: their code swaps the two names
        first="height"    sin(y·f)  cos(y·f)  sin(x·f)  cos(x·f)

    for d/4 frequencies `base^(-4i/d)` each, computed in float64 and rounded to float32, then to `dtype`.

    Source: He et al. 2021 (MAE), `get_2d_sincos_pos_embed`; bit for bit transformers' ViT-MAE.

    Args:
        embedding_dim: d, a multiple of 4.
        base: Base of the frequencies.
        first: Whether the components of the column ("width") or the row ("height") are first.
        prefix_rows: Number of rows of zeros before the patches (class token).
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: For another d or `first`, or an invalid base or number of prefix rows.

    >>> SinusoidGrid(8, prefix_rows=1)(2, 3).shape
    torch.Size([7, 8])
    """

    frequencies: Tensor

    def __init__(
        self,
        embedding_dim: int,
        *,
        base: float = 10000.0,
        first: Literal["width", "height"] = "width",
        prefix_rows: int = 0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(device=device, dtype=dtype)
        if embedding_dim < 4 or embedding_dim % 4:
            raise UsageError(f"embedding_dim must be a multiple of 4, not {embedding_dim}")
        if first not in ("width", "height"):
            raise UsageError(f"first must be 'width' or 'height', not {first!r}")
        require_not_negative(prefix_rows=prefix_rows)
        self.embedding_dim = embedding_dim
        self.first = first
        self.prefix_rows = prefix_rows
        frequencies = sinusoid_frequencies(embedding_dim // 4, base=base, dtype=torch.float64)
        self.register_constant("frequencies", frequencies)

    def forward(self, height: int, width: int, *, dtype: torch.dtype = torch.float32) -> Tensor:
        """Grid of `height` × `width` patches → `(prefix_rows + height · width, d)` in `dtype`."""
        x = self._waves(width).expand(height, width, -1)
        y = self._waves(height).unsqueeze(1).expand(height, width, -1)
        grid = torch.cat((x, y) if self.first == "width" else (y, x), dim=-1).flatten(0, 1)  # (height · width, d)
        return torch.cat((grid.new_zeros(self.prefix_rows, self.embedding_dim), grid)).to(dtype)

    def _waves(self, count: int) -> Tensor:
        """Sines, then cosines of the coordinates 0 … count - 1: `(count, d / 2)` float32."""
        coordinates = torch.arange(count, dtype=self.frequencies.dtype, device=self.frequencies.device)
        angles = coordinates.unsqueeze(-1) * self.frequencies
        return torch.cat((angles.sin(), angles.cos()), dim=-1).float()

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.embedding_dim}, first={self.first!r}, prefix_rows={self.prefix_rows}"

"""Sines and cosines of row and column, for grids of patches of any size: ViT-MAE, DiT."""

from typing import Literal

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_not_negative
from rowspace.layers.constants import ConstantBuffers
from rowspace.layers.positions.sinusoid import sinusoid_frequencies

__all__ = ["SinusoidGrid"]


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

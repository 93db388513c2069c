"""A learned row for each cell of a grid of patches, as in ViT; resampled for other grids."""

import torch
from torch import Tensor, nn

from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.positions.resampling import resample_positions
from rowspace.layers.tables.init import Init, init_rows_

__all__ = ["GridPosition", "grid_of"]

Size = int | tuple[int, int]  # one number for a square, else (height, width)


class GridPosition(CountedModule):
    """grid (h, w) → (prefix + h · w, d): rows of the tokens in front, then of the patches, row by row.

    `weight` is for the grid that the module was made for, `(prefix + height · width, d)`; for another one it is fitted
    by bicubic interpolation, with or without `antialias` (see `resample_positions`), in the dtype of the weight. Raises
    `UsageError` for sizes that are not positive. Source: Dosovitskiy et al. 2020, section 3.1 and 3.2.

    >>> positions = GridPosition((14, 14), 768)
    >>> positions((14, 14)).shape, positions((20, 10)).shape
    (torch.Size([197, 768]), torch.Size([201, 768]))
    """

    def __init__(
        self,
        grid: tuple[int, int],
        embedding_dim: int,
        *,
        prefix: int = 1,
        antialias: bool = False,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(height=grid[0], width=grid[1], embedding_dim=embedding_dim)
        self.grid = grid
        self.embedding_dim = embedding_dim
        self.prefix = prefix
        self.antialias = antialias
        self.init = init
        self.weight = nn.Parameter(torch.empty(prefix + grid[0] * grid[1], embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin again, as `init` says."""
        init_rows_(self.weight, self.init)

    def forward(self, grid: tuple[int, int]) -> Tensor:
        """As the class says."""
        return resample_positions(self.weight, self.grid, grid, prefix=self.prefix, antialias=self.antialias)

    def extra_repr(self) -> str:
        """What `print` shows between the brackets."""
        return f"{self.grid}, {self.embedding_dim}, prefix={self.prefix}, antialias={self.antialias}"


def grid_of(image_size: Size, patch_size: Size) -> tuple[int, int]:
    """How many whole patches an image has, (down, across).

    >>> grid_of(224, 16), grid_of((480, 640), 14)
    ((14, 14), (34, 45))
    """
    height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
    down, across = (patch_size, patch_size) if isinstance(patch_size, int) else patch_size
    return height // down, width // across

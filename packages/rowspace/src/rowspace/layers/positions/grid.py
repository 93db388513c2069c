"""A learned row for each patch of a grid, as in ViT, resampled for other grids."""

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_not_negative, require_positive
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.positions.resampling import resample_positions
from rowspace.layers.tables.init import Init, init_rows_

__all__ = ["GridPosition", "grid_of"]

Size = int | tuple[int, int]  # one number for a square, else (height, width)


class GridPosition(CountedModule):
    """grid (h, w) → (prefix + h · w, d): rows of the prefix tokens, then of the patches, row by row.

    `weight` is `(prefix + height · width, d)`. For another grid than that of the module it is resampled by bicubic
    interpolation, see `resample_positions`.

    Source: Dosovitskiy et al. 2020, section 3.1 and 3.2.

    Args:
        grid: (height, width) in patches.
        embedding_dim: d.
        prefix: Number of tokens before the patches that have a position.
        antialias: See `resample_positions`.
        resampled: Whether other grids are possible; if not, they raise an error.
        init: Initialization of the weight, see `init_rows_`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1; in forward for another grid unless `resampled`.

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
        resampled: bool = True,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(height=grid[0], width=grid[1], embedding_dim=embedding_dim)
        require_not_negative(prefix=prefix)
        self.grid = grid
        self.embedding_dim = embedding_dim
        self.prefix = prefix
        self.antialias = antialias
        self.resampled = resampled
        self.init = init
        self.weight = nn.Parameter(torch.empty(prefix + grid[0] * grid[1], embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize the weight by `init`."""
        init_rows_(self.weight, self.init)

    def forward(self, grid: tuple[int, int]) -> Tensor:
        """Grid (h, w) → (prefix + h · w, d), in the dtype of the weight."""
        if not self.resampled and tuple(grid) != tuple(self.grid):
            raise UsageError(
                f"the image has {grid[0]} × {grid[1]} patches, but this model has positions for {self.grid[0]} × "
                f"{self.grid[1]}; resize or crop the image"
            )
        return resample_positions(self.weight, self.grid, grid, prefix=self.prefix, antialias=self.antialias)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.grid}, {self.embedding_dim}, prefix={self.prefix}, antialias={self.antialias}"


def grid_of(image_size: Size, patch_size: Size) -> tuple[int, int]:
    """Return the number of complete patches of an image.

    Args:
        image_size: Side of a square, or (height, width).
        patch_size: Side of a square, or (height, width).

    Returns:
        (height, width) in patches.

    >>> grid_of(224, 16), grid_of((480, 640), 14)
    ((14, 14), (34, 45))
    """
    height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
    down, across = (patch_size, patch_size) if isinstance(patch_size, int) else patch_size
    return height // down, width // across

"""A learned row for each patch of a grid, as in ViT, and how to adapt a vision model to another image or patch size.

Its position table and the weight of its patches are resampled by bicubic interpolation in float32 or higher, and keep
their dtype.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_not_negative, require_positive
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.tables.init import Init, init_rows_

__all__ = ["GridPosition", "WindowedPosition", "grid_of", "resample_patches", "resample_positions"]

Grid = tuple[int, int]  # (height, width), in patches
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
        resampled: Whether other grids are possible; if not, they raise an error. "tiled" repeats the rows for a larger
            grid, and cuts them for a smaller one (SAM 3), without a prefix.
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
        resampled: bool | Literal["tiled"] = True,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(height=grid[0], width=grid[1], embedding_dim=embedding_dim)
        require_not_negative(prefix=prefix)
        if prefix and resampled == "tiled":
            raise UsageError(f"tiled positions have no prefix, but prefix is {prefix}; pass prefix=0")
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
        if self.resampled == "tiled":
            height, width = self.grid
            rows = self.weight.view(height, width, -1).tile(grid[0] // height + 1, grid[1] // width + 1, 1)
            return rows[: grid[0], : grid[1]].flatten(0, 1)
        return resample_positions(self.weight, self.grid, grid, prefix=self.prefix, antialias=self.antialias)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.grid}, {self.embedding_dim}, prefix={self.prefix}, antialias={self.antialias}"


class WindowedPosition(GridPosition):
    """`GridPosition` without a prefix, plus a row for each place in a window, `window.weight`, tiled over the grid.

    Source: Bolya et al. 2023, "Window Attention is Bugged"; bit for bit transformers' `Sam2HieraDetModel`.

    Args:
        grid: As in `GridPosition`.
        embedding_dim: d.
        window: Side of a window in patches.
        device: Device of the weights.
        dtype: Dtype of the weights.

    >>> WindowedPosition((2, 2), 8, window=3)((4, 6)).shape
    torch.Size([24, 8])
    """

    def __init__(
        self,
        grid: tuple[int, int],
        embedding_dim: int,
        *,
        window: int,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(grid, embedding_dim, prefix=0, device=device, dtype=dtype)
        self.window = GridPosition(
            (window, window), embedding_dim, prefix=0, resampled="tiled", device=device, dtype=dtype
        )

    def forward(self, grid: tuple[int, int]) -> Tensor:
        """Grid (h, w) → (h · w, d), in the dtype of the weight."""
        rows: Tensor = super().forward(grid) + self.window(grid)
        return rows


def grid_of(image_size: Size, patch_size: Size) -> tuple[int, int]:
    """Return the number of complete patches of an image.

    Args:
        image_size: Side of a square, or (height, width).
        patch_size: Side of a square, or (height, width).

    Returns:
        (height, width) in patches.

    Raises:
        UsageError: For a patch size below 1.

    >>> grid_of(224, 16), grid_of((480, 640), 14)
    ((14, 14), (34, 45))
    """
    height, width = (image_size, image_size) if isinstance(image_size, int) else image_size
    down, across = (patch_size, patch_size) if isinstance(patch_size, int) else patch_size
    require_positive(patch_size=min(down, across))
    return height // down, width // across


def resample_positions(
    table: Tensor, old_grid: Grid, new_grid: Grid, *, prefix: int = 1, antialias: bool = True
) -> Tensor:
    """Resample a position table for another grid.

    It is differentiable, so a model may call it in each forward pass.

    Args:
        table: (prefix + h · w, d) or (1, prefix + h · w, d), row by row from the top left.
        old_grid: (h, w) of `table`, in patches.
        new_grid: The new (h, w). Grids of the same number of patches, such as 2 × 8 and 4 × 4, differ.
        prefix: Number of rows before the patches, which do not change.
        antialias: Whether a smaller grid averages (DINOv2 with registers, timm) or samples (ViT, DeiT, DINOv2, CLIP and
            SigLIP in transformers). Larger grids differ too: the constant of the cubic is -0.5 with antialiasing, -0.75
            without.

    Returns:
        The table for `new_grid` in the dtype of `table`; if the grids are equal, `table` itself.

    Raises:
        UsageError: If the number of rows of `table` does not match `old_grid` and `prefix`.

    >>> table = torch.arange(5.0).unsqueeze(1)  # a class token, and positions of 2 × 2 patches
    >>> resample_positions(table, (2, 2), (1, 2)).flatten()
    tensor([0., 2., 3.])
    """
    if min(*old_grid, *new_grid) < 1 or prefix < 0 or table.ndim not in (2, 3) or table.shape[:-2].numel() != 1:
        raise UsageError(
            f"expected a table of 2 axes, grids of at least 1 × 1 and a prefix of at least 0, got a table "
            f"{tuple(table.shape)}, grids {old_grid} and {new_grid}, prefix {prefix}"
        )
    if table.shape[-2] != prefix + math.prod(old_grid):
        raise UsageError(
            f"table has {table.shape[-2]} rows, but a prefix of {prefix} and a grid of {old_grid[0]} × {old_grid[1]} "
            f"make {prefix + math.prod(old_grid)}; check prefix (class, distillation) and old_grid"
        )
    if old_grid == new_grid:
        return table
    rows = table.reshape(-1, table.shape[-1])
    images = rows[prefix:].reshape(*old_grid, -1).permute(2, 0, 1).unsqueeze(0)
    # images: (1, d, h, w)
    images = _interpolate(images.to(_working_dtype(table)), new_grid, antialias=antialias)
    patches = images.squeeze(0).flatten(1).t().to(table.dtype)
    return torch.cat([rows[:prefix], patches]).reshape(*table.shape[:-2], -1, table.shape[-1])


def resample_patches(weight: Tensor, new_size: int | tuple[int, int], *, antialias: bool = True) -> Tensor:
    """Return the weight for patches of another size whose products with resized patches are closest to the old ones.

    If B is the matrix that resizes a flat patch, the new weight is pinv(Bᵀ) · w; for enlarged patches the products are
    equal. B is separable, so the pseudo-inverse is computed by axis, in float64.

    Source: FlexiViT (Beyer et al., 2023), section 3.4.

    Args:
        weight: (d, C, height, width), as in `PatchEmbedding`.
        new_size: Side of a square patch, or (height, width).
        antialias: Whether patches are resized with antialiasing.

    Returns:
        (d, C, *new_size) in the dtype of `weight`; if the sizes are equal, `weight` itself.

    Raises:
        UsageError: For another number of axes or a size below 1.

    >>> weight, patch = torch.rand(1, 1, 4, 4), torch.rand(1, 1, 4, 4)
    >>> larger = torch.nn.functional.interpolate(patch, (8, 8), mode="bicubic", antialias=True)
    >>> torch.allclose((larger * resample_patches(weight, 8)).sum(), (patch * weight).sum(), atol=1e-5)
    True
    """
    size = (new_size, new_size) if isinstance(new_size, int) else new_size
    if weight.ndim != 4 or min(size) < 1:
        raise UsageError(
            f"expected a weight (d, C, height, width) and a new_size of at least 1, got {tuple(weight.shape)} and "
            f"{new_size}; pass the weight of PatchEmbedding"
        )
    if weight.shape[2:] == size:
        return weight
    along_height, along_width = (
        _transposed_inverse(old, new, antialias=antialias).to(weight.device, _working_dtype(weight))
        for old, new in zip(weight.shape[2:], size, strict=True)
    )
    return (along_height @ weight.to(along_height.dtype) @ along_width.t()).to(weight.dtype)


def _transposed_inverse(old: int, new: int, *, antialias: bool) -> Tensor:
    """pinv(Bᵀ) (new, old) of the matrix B (new, old) that resizes a line of pixels."""
    identity = torch.eye(old, dtype=torch.float64)[None, None]
    resize = _interpolate(identity, (new, old), antialias=antialias)[0, 0]
    inverse: Tensor = torch.linalg.pinv(resize.t())
    return inverse


def _interpolate(images: Tensor, size: Grid, *, antialias: bool) -> Tensor:
    if antialias and torch.compiler.is_compiling():  # torch's has no compiled backward pass for dynamic sizes
        down, across = (_antialiased(old, new, images) for old, new in zip(images.shape[2:], size, strict=True))
        return down @ images @ across.t()
    return functional.interpolate(images, size, mode="bicubic", align_corners=False, antialias=antialias)


def _antialiased(old: int, new: int, images: Tensor) -> Tensor:
    """The matrix (new, old) that resizes a line of pixels with torch's antialiased bicubic interpolation."""
    stretch = max(old / new, 1.0)
    centers = (torch.arange(new, dtype=images.dtype, device=images.device) + 0.5) * (old / new)
    pixels = torch.arange(old, dtype=images.dtype, device=images.device) + 0.5
    distance = (pixels - centers.unsqueeze(1)).abs() / stretch
    near = (1.5 * distance - 2.5) * distance.square() + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    weights = torch.where(distance < 1, near, torch.where(distance < 2, far, 0))
    return weights / weights.sum(1, keepdim=True)


def _working_dtype(tensor: Tensor) -> torch.dtype:
    return torch.float64 if tensor.dtype == torch.float64 else torch.float32

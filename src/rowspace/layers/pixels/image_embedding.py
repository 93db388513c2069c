"""What a vision transformer computes from pixels before its first layer: patches, tokens, positions, norm."""

from torch import Tensor, nn

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.pixels.prefix_tokens import PrefixTokens
from rowspace.layers.positions.grid import GridPosition

__all__ = ["ImageEmbedding"]


class ImageEmbedding(CountedModule):
    """images (batch, C, H, W) → (batch, prefix + registers + h · w, d).

    - `patches`, then `tokens` in front of them where there are any, plus `positions`, then `norm` and `dropout`.
    - `crop`: leave out what no whole patch covers, at the right and below, as a convolution does; without it such an
      image is an error that names the sizes that fit (or is padded, where `patches` pads).

    Positions are fitted to images of another size than the model was made for. Raises `UsageError` for images that do
    not fit, and for a mask where no mask token is. Source: Dosovitskiy et al. 2020, figure 1.

    >>> import torch
    >>> embed = ImageEmbedding(
    ...     patches=PatchEmbedding(16, 3, 8), tokens=PrefixTokens(8), positions=GridPosition((14, 14), 8)
    ... )
    >>> embed(torch.rand(2, 3, 224, 224)).shape, embed(torch.rand(2, 3, 32, 64)).shape
    (torch.Size([2, 197, 8]), torch.Size([2, 9, 8]))
    """

    def __init__(
        self,
        *,
        patches: PatchEmbedding,
        positions: GridPosition,
        tokens: PrefixTokens | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        crop: bool = False,
    ) -> None:
        super().__init__()
        prefix = 0 if tokens is None else tokens.prefix
        if positions.prefix != prefix:
            raise UsageError(
                f"positions are made for {plural(positions.prefix, 'token')} before the patches, not for {prefix}; "
                f"pass prefix={prefix} to GridPosition"
            )
        self.patches = patches
        self.tokens = tokens
        self.positions = positions
        self.norm = norm
        self.dropout = nn.Dropout(dropout)
        self.crop = crop

    def forward(self, images: Tensor, *, mask: Tensor | None = None) -> Tensor:
        """Images of floats, normalized as the model expects; mask (batch, h · w) bool, True for patches to hide."""
        rows, grid = self.patches(self._cropped(images) if self.crop else images)
        positions = self.positions(grid)
        if self.tokens is not None:
            rows = self.tokens(rows, positions=positions, mask=mask)
        elif mask is not None:
            raise UsageError("mask was given, but there are no tokens in front, and no mask token; leave it out")
        else:
            rows = rows + positions
        if self.norm is not None:
            rows = self.norm(rows)
        shown: Tensor = self.dropout(rows)
        return shown

    def _cropped(self, images: Tensor) -> Tensor:
        """Without what no whole patch covers; an image smaller than a patch stays, and is refused later."""
        height, width = self.patches.patch_size
        rows, columns = images.shape[-2:]
        return images[..., : max(rows - rows % height, height), : max(columns - columns % width, width)]

"""The input of a vision transformer, computed from pixels: patches, prefix tokens, positions, norm."""

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

    Positions are resampled for images of another size than that of `positions`.

    Source: Dosovitskiy et al. 2020, figure 1.

    Args:
        patches: Pixels → patches.
        positions: Added to prefix tokens and patches; None for models that have them in attention only (DINOv3, Swin).
        tokens: Prefix tokens, if any.
        patch_norm: Applied to the patches before anything is added (AIMv2), if any.
        norm: Applied to the sum, if any.
        dropout: Probability, applied last.
        crop: Drop pixels on the right and at the bottom that do not fill a patch, as a convolution does. Otherwise such
            an image raises an error, or is padded if `patches` pads.

    Raises:
        UsageError: If the prefixes of `tokens` and `positions` differ; in forward for images of another size or a mask
            without a mask token.

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
        positions: GridPosition | None,
        tokens: PrefixTokens | None = None,
        patch_norm: nn.Module | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        crop: bool = False,
    ) -> None:
        super().__init__()
        prefix = 0 if tokens is None else tokens.prefix
        if positions is not None and positions.prefix != prefix:
            raise UsageError(
                f"positions have {plural(positions.prefix, 'prefix token')}, but tokens have {prefix}; "
                f"pass prefix={prefix} to GridPosition"
            )
        self.patches = patches
        self.tokens = tokens
        self.positions = positions
        self.patch_norm = patch_norm
        self.norm = norm
        self.dropout = nn.Dropout(dropout)
        self.crop = crop

    def forward(self, images: Tensor, *, mask: Tensor | None = None) -> Tensor:
        """Compute the input of the first layer.

        Args:
            images: (batch, C, H, W) floats, normalized as the model expects.
            mask: (batch, h · w) bool, True for patches to replace by the mask token.

        Returns:
            (batch, prefix + registers + h · w, d).

        Raises:
            UsageError: For images of another size, or a mask without a mask token.
        """
        rows, grid = self.patches(self._cropped(images) if self.crop else images)
        if self.patch_norm is not None:
            rows = self.patch_norm(rows)
        positions = None if self.positions is None else self.positions(grid)
        if self.tokens is not None:
            rows = self.tokens(rows, positions=positions, mask=mask)
        elif mask is not None:
            raise UsageError("mask needs a mask token, but there are no prefix tokens; omit it")
        elif positions is not None:
            rows = rows + positions
        if self.norm is not None:
            rows = self.norm(rows)
        output: Tensor = self.dropout(rows)
        return output

    def _cropped(self, images: Tensor) -> Tensor:
        """Drop pixels that do not fill a patch; an image smaller than a patch is not cropped and raises later."""
        height, width = self.patches.patch_size
        rows, columns = images.shape[-2:]
        return images[..., : max(rows - rows % height, height), : max(columns - columns % width, width)]

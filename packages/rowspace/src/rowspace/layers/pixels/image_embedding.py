"""The input of a vision transformer, computed from pixels: patches, prefix tokens, positions, norm.

Prefix tokens are those before the patches (class, distillation, registers):

    patches ──► masked patches replaced ──► class, distillation, patches ──► class, distillation, registers, patches
    (B, P, d)                               + positions (prefix + P, d)      (B, prefix + R + P, d)

Registers have no positions, so they are inserted after the positions are added.
"""

from typing import Unpack

import torch
from torch import Tensor, nn

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, Factory
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition

__all__ = ["ImageEmbedding", "PrefixTokens"]


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
        rotary: The rotation of queries and keys of the patches, stored for use in attention and not called here
            (DINOv3: `AxialRotaryPosition`, at `grid_positions(h, w, centered=True)`).
        crop: Drop pixels on the right and at the bottom that do not fill a patch, as a convolution does. Otherwise such
            an image raises an error, or is padded if `patches` pads. Patches with a stride or padding always drop them.

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
        tokens: "PrefixTokens | None" = None,
        patch_norm: nn.Module | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
        rotary: nn.Module | None = None,
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
        self.rotary = rotary
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
        rows, grid = self.patches(self._cropped(images) if self.crop and not self.patches.overlapping else images)
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


class PrefixTokens(nn.Module):
    """patches (batch, P, d) → (batch, prefix + R + P, d): replace masked patches, add positions, prepend tokens.

    `class_token`, `distillation_token` and `mask_token` are (d,) or None, `register_tokens` (R, d) or None. As in ViT,
    they are initialized from a truncated normal distribution of standard deviation 0.02, and the mask to zero.

    Sources: ViT (Dosovitskiy et al., 2020); DeiT (Touvron et al., 2021); BEiT (Bao et al., 2021); Vision Transformers
    Need Registers (Darcet et al., 2024).

    Args:
        embedding_dim: d.
        class_token: Whether there is a class token (ViT, CLIP, DINOv2; not SigLIP).
        distillation: Whether there is a distillation token (DeiT).
        registers: R, the number of tokens without a position (DINOv2 with registers: 4).
        mask: Whether there is a vector that replaces masked patches (BEiT, DINOv2's pretraining).
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below its minimum; in forward for inconsistent shapes.

    >>> prefix = PrefixTokens(768, registers=4)
    >>> prefix(torch.rand(1, 196, 768), positions=torch.rand(197, 768)).shape
    torch.Size([1, 201, 768])
    """

    def __init__(
        self,
        embedding_dim: int,
        *,
        class_token: bool = True,
        distillation: bool = False,
        registers: int = 0,
        mask: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embedding_dim < 1 or registers < 0:
            sizes = f"{embedding_dim} and {registers}"
            raise UsageError(f"embedding_dim must be at least 1 and registers at least 0, got {sizes}; 0 means none")
        self.embedding_dim = embedding_dim
        options: Factory = {"device": device, "dtype": dtype}
        self.class_token = _token(embedding_dim, exists=class_token, **options)
        self.distillation_token = _token(embedding_dim, exists=distillation, **options)
        self.register_tokens = _token(registers, embedding_dim, exists=registers > 0, **options)
        self.mask_token = _token(embedding_dim, exists=mask, **options)
        self.reset_parameters()

    @property
    def prefix(self) -> int:
        """Number of tokens with a position before the patches."""
        return len(self._prefix_tokens())

    def reset_parameters(self) -> None:
        """Initialize all tokens again; the mask token to zero."""
        for token in (self.class_token, self.distillation_token, self.register_tokens):
            if token is not None:
                nn.init.trunc_normal_(token, std=0.02, a=-0.04, b=0.04)
        if self.mask_token is not None:
            nn.init.zeros_(self.mask_token)

    def forward(self, patches: Tensor, *, positions: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """Prepend the tokens to patches.

        Args:
            patches: (batch, P, d).
            positions: (prefix + P, d), or (P, d) for the patches only; a leading axis of 1 is allowed.
            mask: (batch, P) bool, True for patches to replace.

        Returns:
            (batch, prefix + R + P, d).

        Raises:
            UsageError: For inconsistent shapes, or a mask without a mask token.
        """
        if patches.ndim != 3 or patches.shape[2] != self.embedding_dim:
            raise UsageError(
                f"patches must have shape (batch, patches, {self.embedding_dim}), got {tuple(patches.shape)}; "
                "pass what PatchEmbedding returns, without the grid"
            )
        if mask is not None:
            patches = self._masked(patches, mask)
        before, after = self._position_parts(positions, patches.shape[1])
        patches = patches if after is None else patches + after
        prefix = self._prefix_tokens()
        if before is not None:
            prefix = [token + position for token, position in zip(prefix, before, strict=True)]
        rows = [*prefix, *(() if self.register_tokens is None else self.register_tokens)]
        if not rows:
            return patches
        front = torch.stack(rows).to(patches.dtype).expand(patches.shape[0], -1, -1)
        # front: (batch, prefix + R, d)
        return torch.cat([front, patches], 1)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        present = [token is not None for token in (self.class_token, self.distillation_token, self.mask_token)]
        registers = 0 if self.register_tokens is None else len(self.register_tokens)
        return (
            f"{self.embedding_dim}, class_token={present[0]}, distillation={present[1]}, registers={registers}, "
            f"mask={present[2]}"
        )

    def _prefix_tokens(self) -> list[Tensor]:
        """The existing tokens that have a position, in order."""
        return [token for token in (self.class_token, self.distillation_token) if token is not None]

    def _masked(self, patches: Tensor, mask: Tensor) -> Tensor:
        if self.mask_token is None:
            raise UsageError("mask needs a mask token; construct PrefixTokens with mask=True")
        if mask.shape != patches.shape[:2] or mask.dtype != torch.bool:
            raise UsageError(
                f"mask must be bool of shape {tuple(patches.shape[:2])}, one per patch, got {mask.dtype} "
                f"{tuple(mask.shape)}"
            )
        return torch.where(mask.unsqueeze(2), self.mask_token.to(patches.dtype), patches)

    def _position_parts(self, positions: Tensor | None, patches: int) -> tuple[Tensor | None, Tensor | None]:
        """Split positions into those of the tokens and those of the patches."""
        if positions is None:
            return None, None
        rows = positions.squeeze(0) if positions.ndim == 3 else positions
        alone = rows.shape[0] == patches
        if rows.ndim != 2 or rows.shape[1] != self.embedding_dim or not (alone or len(rows) == self.prefix + patches):
            expected = f"{self.prefix + patches} rows ({self.prefix} before {patches} patches), or {patches},"
            raise UsageError(
                f"positions must have {expected} of {self.embedding_dim}, got {tuple(positions.shape)}; "
                "adapt them to the grid with resample_positions"
            )
        return (None, rows) if alone else (rows[: self.prefix], rows[self.prefix :])


def _token(*shape: int, exists: bool, **options: Unpack[Factory]) -> nn.Parameter | None:
    return nn.Parameter(torch.empty(shape, **options)) if exists else None

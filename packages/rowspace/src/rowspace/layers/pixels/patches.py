"""Pixels → vectors: an image is split into patches, and each flat patch is projected.

    image (C, H, W)              patches, row by row from the top left       one patch, flat
    ┌───┬───┐                    0 1                                         channel by channel,
    │ 0 │ 1 │   H/p × W/p grid → 2 3 → (H/p · W/p, C · p · p)                in each row by row: C · p · p numbers
    ├───┼───┤
    │ 2 │ 3 │   the product of a flat patch with the weight equals a convolution of stride p
    └───┴───┘

Patches are numbered row by row, and the grid need not be square. With a stride below their size they overlap.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_not_negative, require_positive
from rowspace.layers.tables.gather import require_tensor

__all__ = ["PatchEmbedding", "pad_to_patches", "unfold_patches"]

Size = int | tuple[int, int]  # one number for a square, else (height, width)
Order = Literal["channels_first", "channels_last"]


class PatchEmbedding(nn.Module):
    """images (batch, C, H, W) → vectors (batch, h · w, d) and the grid (h, w): a projection of each patch.

    `weight` (d, C, height, width) has the layout of a convolution. As in ViT, it is initialized from a normal
    distribution of standard deviation 0.02 truncated at two standard deviations, and `bias` (d,) to zero.

    Source: ViT (Dosovitskiy et al., 2020), section 3.1.

    Args:
        patch_size: Side of a square patch in pixels, or (height, width).
        channels: C, 3 for color.
        embedding_dim: d.
        bias: Whether to add a bias; CLIP has none.
        form: "linear" unfolds the patches and multiplies; "convolution" is a convolution with stride p, the form of the
            published models; `torch.compile` uses "linear" for both. They differ in the order of their sums: at most
            1e-6 of the result in float32.
        pad: Pad images with zeros at the bottom and on the right to a multiple of the patch size, instead of raising.
        stride: Distance of patches, by default their size; with another one (SegFormer), or with `padding`, images may
            have any size of at least one patch.
        padding: Zeros around the image, in pixels.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below 1, another `form`, or `pad` with overlapping patches; in forward for an image of
            another shape, with the sizes that fit.

    >>> patches, grid = PatchEmbedding(16, 3, 768)(torch.rand(1, 3, 224, 160))
    >>> patches.shape, grid
    (torch.Size([1, 140, 768]), (14, 10))
    """

    def __init__(  # noqa: PLR0913  the options of a convolution, and those of every module
        self,
        patch_size: Size,
        channels: int,
        embedding_dim: int,
        *,
        bias: bool = True,
        form: Literal["linear", "convolution"] = "linear",
        pad: bool = False,
        stride: Size | None = None,
        padding: int = 0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.patch_size = _pair(patch_size)
        self.channels = channels
        self.embedding_dim = embedding_dim
        if min(*self.patch_size, channels, embedding_dim) < 1:
            raise UsageError(
                f"patch_size, channels and embedding_dim must be at least 1, got {patch_size}, {channels} and "
                f"{embedding_dim}; ViT-B/16 has 16, 3 and 768"
            )
        if form not in ("linear", "convolution"):
            raise UsageError(f'form must be "linear" or "convolution", got {form!r}')
        require_not_negative(padding=padding)
        self.form = form
        self.pad = pad
        self.stride = self.patch_size if stride is None else _pair(stride)
        self.padding = padding
        self.overlapping = self.stride != self.patch_size or padding > 0
        if pad and self.overlapping:
            raise UsageError("pad is for patches side by side; omit it with a stride or padding")
        self.weight = nn.Parameter(torch.empty(embedding_dim, channels, *self.patch_size, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(embedding_dim, device=device, dtype=dtype)) if bias else None
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Initialize the weight again and set the bias to zero.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        nn.init.trunc_normal_(self.weight, std=0.02, a=-0.04, b=0.04, generator=generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, images: Tensor) -> tuple[Tensor, tuple[int, int]]:
        """Images (batch, C, H, W) → vectors (batch, h · w, d), row by row from the top left, and the grid (h, w)."""
        images = self._fitted(images)
        grid = self._grid(images)
        # Inductor of torch 2.13 does not compile a convolution whose image size changes.
        compiles = torch.compiler.is_compiling() and not torch.compiler.is_exporting()
        if self.form == "linear" or compiles:
            return functional.linear(self._unfolded(images), self.weight.flatten(1), self.bias), grid
        maps = functional.conv2d(images, self.weight, self.bias, stride=self.stride, padding=self.padding)
        # maps: (batch, d, h, w)
        return maps.flatten(2).transpose(1, 2), grid

    def _unfolded(self, images: Tensor) -> Tensor:
        if not self.overlapping:
            return unfold_patches(images, self.patch_size)
        return functional.unfold(images, self.patch_size, padding=self.padding, stride=self.stride).transpose(1, 2)

    def _grid(self, images: Tensor) -> tuple[int, int]:
        """The number of patches of each column and row."""
        height, width = (
            (side + 2 * self.padding - patch) // step + 1
            for side, patch, step in zip(images.shape[2:], self.patch_size, self.stride, strict=True)
        )
        if min(height, width) < 1:
            raise UsageError(
                f"an image of {images.shape[2]} × {images.shape[3]} pixels is smaller than a patch of "
                f"{self.patch_size[0]} × {self.patch_size[1]}; resize it"
            )
        return height, width

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        overlap = f", stride={self.stride}, padding={self.padding}" if self.overlapping else ""
        return (
            f"{self.patch_size}, {self.channels}, {self.embedding_dim}, bias={self.bias is not None}, "
            f"form={self.form!r}, pad={self.pad}{overlap}"
        )

    def _fitted(self, images: Tensor) -> Tensor:
        """Check the images, cast them to the dtype of the weight, and pad them if `pad`."""
        require_tensor(images, "images")
        if images.ndim != 4 or images.shape[1] != self.channels:
            raise UsageError(
                f"images must have shape (batch, {self.channels}, height, width), got {tuple(images.shape)}; "
                "check the order of the axes and the number of channels"
            )
        if not images.is_floating_point():
            raise UsageError(f"images must be floats, scaled and normalized as the model expects, got {images.dtype}")
        images = images.to(self.weight.dtype)
        images = pad_to_patches(images, self.patch_size) if self.pad else images
        if not self.overlapping:
            _check_divisible(images.shape[2], images.shape[3], self.patch_size)
        return images


def unfold_patches(images: Tensor, patch_size: Size, *, order: Order = "channels_first") -> Tensor:
    """Split images (batch, C, H, W) into flat patches (batch, h · w, C · p · p), row by row from the top left.

    The order of the numbers of one patch, here of 1 × 2 pixels in color::

        channels_first    r0 r1 g0 g1 b0 b1    channel by channel, as in the weight of a convolution
        channels_last     r0 g0 b0 r1 g1 b1    pixel by pixel, as in an image file (JAX, usually einops)

    Args:
        images: (batch, C, H, W).
        patch_size: Side of a square patch in pixels, or (height, width).
        order: "channels_first" or "channels_last".

    Returns:
        (batch, h · w, C · p · p).

    Raises:
        UsageError: For another `order`, or an image whose size is not a multiple of the patch size, with the nearest
            sizes that are.

    >>> image = torch.tensor([[1, 2, 3, 9, 9, 9], [4, 5, 0, 9, 9, 9], [7, 8, 1, 9, 9, 9]])[None, None]
    >>> unfold_patches(image, 3)[0]
    tensor([[1, 2, 3, 4, 5, 0, 7, 8, 1],
            [9, 9, 9, 9, 9, 9, 9, 9, 9]])
    """
    height, width = _pair(patch_size)
    batch, channels, rows, columns = images.shape
    _check_divisible(rows, columns, (height, width))
    cut = images.reshape(batch, channels, rows // height, height, columns // width, width)
    # cut: (batch, C, h, p, w, p)
    if order == "channels_first":
        return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
    if order == "channels_last":
        return cut.permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)
    raise UsageError(f'order must be "channels_first" or "channels_last", got {order!r}')


def pad_to_patches(images: Tensor, patch_size: Size) -> Tensor:
    """Pad images with zeros at the bottom and on the right to a multiple of the patch size.

    Args:
        images: (batch, C, H, W).
        patch_size: Side of a square patch in pixels, or (height, width).

    Returns:
        (batch, C, H', W'), or `images` itself if no padding is needed.

    >>> pad_to_patches(torch.ones(1, 3, 15, 32), 16).shape
    torch.Size([1, 3, 16, 32])
    """
    height, width = _pair(patch_size)
    below, right = -images.shape[2] % height, -images.shape[3] % width
    return functional.pad(images, (0, right, 0, below)) if below or right else images


def _pair(size: Size) -> tuple[int, int]:
    height, width = (size, size) if isinstance(size, int) else size
    require_positive(patch_height=height, patch_width=width)
    return height, width


def _check_divisible(rows: int, columns: int, patch_size: tuple[int, int]) -> None:
    """Raise, with the sizes that fit, unless both sides are multiples of the patch size."""
    wrong = [
        f"{side} {length} is not a multiple of the patch's {patch} (next: {_next_sizes(length, patch)})"
        for side, length, patch in zip(("height", "width"), (rows, columns), patch_size, strict=True)
        if length % patch or not length
    ]
    if wrong:
        raise UsageError(f"image {' and '.join(wrong)}; resize or crop it, or embed with pad=True")


def _next_sizes(length: int, patch: int) -> str:
    lower = length - length % patch
    return f"{lower} or {lower + patch}" if lower else str(patch)

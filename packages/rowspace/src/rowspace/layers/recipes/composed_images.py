"""The input of a vision model from options instead of code: patches, prefix tokens, positions, a norm."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Unpack

from torch import nn

from rowspace.layers.arguments import Factory
from rowspace.layers.pixels.image_embedding import ImageEmbedding, PrefixTokens
from rowspace.layers.pixels.patches import PatchEmbedding
from rowspace.layers.positions.grid import GridPosition, Size, WindowedPosition, grid_of
from rowspace.layers.recipes.parts import NormKind, norm_of
from rowspace.layers.rotary.multi_axis import AxialRotaryPosition

__all__ = ["ImageParts", "composed_image"]


@dataclass(frozen=True)
class ImageParts:
    """The parts of the input of a vision model.

    - `embedding_dim`, `image_size`, `patch_size`, `channels`, `patch_bias`: of the patches.
    - `stride`, `padding`: of overlapping patches; by default they are padded by half their size.
    - `class_token`, `distillation`, `registers`, `mask`: the tokens before the patches, and the mask token.
      `extra_registers` are not counted in the config.
    - `positioned`: whether positions are added; `resampled` whether to images of other sizes too, and `antialias` how.
    - `background`, `window`: the grid and the side of a `WindowedPosition`, if it is one.
    - `num_heads`, `rope_theta`: heads of attention and base of the rotation by row and column, if there is one;
      `alternate` as in `AxialRotaryPosition`.
    - `norm`, `norm_eps`: see `norm_of`; `norm_of_patches` if it comes before the positions.
    - `pad`: incomplete patches are padded instead of dropped.
    """

    embedding_dim: int
    image_size: Size = 224
    patch_size: Size = 16
    channels: int = 3
    patch_bias: bool = True
    stride: Size | None = None
    padding: int | None = None
    class_token: bool = False
    distillation: bool = False
    registers: int = 0
    extra_registers: int = 0
    mask: bool = False
    positioned: bool = True
    resampled: bool | Literal["tiled"] = False
    antialias: bool = False
    background: tuple[int, int] = (1, 1)
    window: int | None = None
    num_heads: int = 1
    rope_theta: float | None = None
    alternate: bool = False
    norm: NormKind | None = None
    norm_of_patches: bool = False
    norm_eps: float = 1e-5
    dropout: float = 0.0
    pad: bool = False

    @property
    def prefix(self) -> int:
        """Number of tokens with a position before the patches."""
        return int(self.class_token) + int(self.distillation)

    @property
    def margin(self) -> int:
        """Pixels of padding on each side."""
        if self.padding is not None or self.stride is None:
            return self.padding or 0
        return (self.patch_size if isinstance(self.patch_size, int) else self.patch_size[0]) // 2


def composed_image(*, parts: Mapping[str, Any], **factory: Unpack[Factory]) -> ImageEmbedding:
    """Build the input of a vision model from the arguments of `ImageParts`.

    Args:
        parts: The arguments of `ImageParts`.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        The module, with new weights.

    >>> composed_image(parts={"embedding_dim": 8, "image_size": 32}).positions
    GridPosition((2, 2), 8, prefix=0, antialias=False)
    """
    options = ImageParts(**parts)
    norm: nn.Module | None = None
    if options.norm is not None:
        norm = norm_of(options.norm, options.embedding_dim, eps=options.norm_eps, **factory)
    return ImageEmbedding(
        patches=PatchEmbedding(
            options.patch_size,
            options.channels,
            options.embedding_dim,
            bias=options.patch_bias,
            form="convolution",
            pad=options.pad,
            stride=options.stride,
            padding=options.margin,
            **factory,
        ),
        tokens=_tokens(options, **factory),
        positions=_positions(options, **factory),
        patch_norm=norm if options.norm_of_patches else None,
        norm=None if options.norm_of_patches else norm,
        dropout=options.dropout,
        rotary=_rotary(options, **factory),
        crop=not options.pad and options.stride is None,
    )


def _tokens(options: ImageParts, **factory: Unpack[Factory]) -> PrefixTokens | None:
    registers = options.registers + options.extra_registers
    if not (options.prefix or registers or options.mask):
        return None
    return PrefixTokens(
        options.embedding_dim,
        class_token=options.class_token,
        distillation=options.distillation,
        registers=registers,
        mask=options.mask,
        **factory,
    )


def _rotary(options: ImageParts, **factory: Unpack[Factory]) -> AxialRotaryPosition | None:
    if options.rope_theta is None:
        return None
    head_dim = options.embedding_dim // options.num_heads
    return AxialRotaryPosition(head_dim, base=options.rope_theta, alternate=options.alternate, **factory)


def _positions(options: ImageParts, **factory: Unpack[Factory]) -> GridPosition | None:
    if not options.positioned:
        return None
    if options.window is not None:
        return WindowedPosition(options.background, options.embedding_dim, window=options.window, **factory)
    grid = grid_of(options.image_size, options.patch_size)
    return GridPosition(
        grid,
        options.embedding_dim,
        prefix=options.prefix,
        resampled=options.resampled,
        antialias=options.antialias,
        **factory,
    )

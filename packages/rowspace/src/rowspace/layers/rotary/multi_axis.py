"""Rotary positions with several coordinates: row and column of a patch, or time, height and width of a video.

Each pair of components belongs to one coordinate, and its angle depends only on that coordinate.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, Factory
from rowspace.layers.rotary.frequencies import RotaryScaling, rotary_frequencies
from rowspace.layers.rotary.position import RotaryLayout, RotaryPosition

__all__ = ["AxialRotaryPosition", "MultimodalRotaryPosition", "grid_positions"]


def grid_positions(
    height: int, width: int, *, merge_size: int = 1, centered: bool = False, device: torch.device | None = None
) -> Tensor:
    """Return row and column of each patch of a grid.

    Args:
        height: Number of rows of patches.
        width: Number of columns of patches.
        merge_size: If above 1, patches are ordered by blocks of `merge_size` × `merge_size`, each row by row, for
            models that merge a block into one token (Qwen2-VL).
        centered: If True, a position is `2π · (2 (i + ½) / n - 1)`, from -2π to 2π in a grid of any size (DINOv3).
        device: Device of the result.

    Returns:
        `(2, height · width)` int64, or float32 if `centered`.

    Raises:
        UsageError: If the grid does not divide into blocks.

    >>> grid_positions(2, 3)
    tensor([[0, 0, 0, 1, 1, 1],
            [0, 1, 2, 0, 1, 2]])
    >>> grid_positions(2, 4, merge_size=2)
    tensor([[0, 0, 1, 1, 0, 0, 1, 1],
            [0, 1, 0, 1, 2, 3, 2, 3]])
    """
    if merge_size < 1 or height % merge_size or width % merge_size:
        raise UsageError(
            f"a grid of {height} × {width} patches does not divide into blocks of {merge_size} × {merge_size}; "
            f"resize the image"
        )
    rows = torch.arange(height, device=device).view(-1, 1, merge_size, 1)
    columns = torch.arange(width, device=device).view(1, -1, 1, merge_size)
    shape = (height // merge_size, width // merge_size, merge_size, merge_size)
    positions = torch.stack((rows.expand(shape).flatten(), columns.expand(shape).flatten()))
    if not centered:
        return positions
    return 2 * math.pi * ((positions + 0.5) / torch.tensor([[height], [width]], device=device) * 2 - 1)


class AxialRotaryPosition(RotaryPosition):
    """Rotary positions of patches: the first half of the pairs rotates by the row, the second by the column.

    It is called as `RotaryPosition`, with positions `(axes, ..., seq)`, integers or floats, as from `grid_positions`.

    Args:
        head_dim: Components of a head, a multiple of `2 · axes`.
        base: Base of the frequencies.
        layout: As in `RotaryPosition`.
        axes: Number of coordinates; 3 for time, row and column.
        alternate: If False, each axis has the frequencies of a head of `head_dim / axes` (the vision tower of Qwen2-VL
            and similar); if True, the frequencies of the full head alternate between the axes (Pixtral).
        upcast: As in `RotaryPosition`.
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: If `head_dim` is not a multiple of `2 · axes`; in forward for positions of another shape.

    >>> rotary = AxialRotaryPosition(8)
    >>> q = torch.randn(1, 2, 6, 8)
    >>> rotary(q, q, grid_positions(2, 3))[0].shape
    torch.Size([1, 2, 6, 8])
    """

    axis_of_pair: Tensor

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = 10000.0,
        layout: RotaryLayout = "half",
        axes: int = 2,
        alternate: bool = False,
        upcast: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(head_dim, base=base, layout=layout, upcast=upcast, device=device, dtype=dtype)
        if axes < 1 or head_dim % (2 * axes):
            raise UsageError(
                f"head_dim must be a multiple of {2 * axes}, for equal numbers of pairs on {axes} axes, not {head_dim}"
            )
        full = rotary_frequencies(head_dim, base)
        alternating = torch.cat([full[axis::axes] for axis in range(axes)])
        repeated = rotary_frequencies(head_dim // axes, base).repeat(axes)
        self.axes = axes
        self.register_constant("frequencies", alternating if alternate else repeated)
        self.register_constant("axis_of_pair", _in_blocks((head_dim // (2 * axes),) * axes))

    def _default_positions(self, q: Tensor) -> Tensor:
        raise UsageError(
            f"positions must be passed, since the grid of {plural(q.shape[-2], 'patch', 'patches')} is unknown; use "
            "grid_positions(height, width)"
        )

    def _per_pair(self, positions: Tensor) -> Tensor:
        return _coordinates(positions, self.axis_of_pair, self.axes)


class MultimodalRotaryPosition(RotaryPosition):
    """M-RoPE: text and video in one sequence, each token with a time, a height and a width.

    It is called as `RotaryPosition`, with positions `(3, seq)` or `(3, batch, seq)`, by default 0, 1, … in all three.
    If the three coordinates are equal, as for text, the result is bit for bit that of `RotaryPosition`.

    Source: Wang et al. 2024 (Qwen2-VL), section 2.1.

    Args:
        head_dim: Components of a head.
        sections: Number of pairs for time, height and width (Qwen2-VL: 16, 24, 24 for a head of 128).
        base: Base of the frequencies.
        layout: As in `RotaryPosition`.
        interleaved: If False, the sections are consecutive, and time has the highest frequencies; if True, pairs
            alternate t h w t h w … while a section has pairs left, and the rest are time (Qwen3-VL).
        scaling: Scaling of the frequencies.
        rotary_dim: Number of rotated components, by default all (Qwen3.5).
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: If the sections do not add up to the number of pairs; in forward for positions of another shape.

    >>> rotary = MultimodalRotaryPosition(16, (2, 3, 3), base=1e6)
    >>> q = torch.randn(1, 2, 5, 16)
    >>> rotary(q, q, torch.arange(15).view(3, 5))[0].shape
    torch.Size([1, 2, 5, 16])
    """

    axis_of_pair: Tensor

    def __init__(  # noqa: PLR0913  the arguments of RotaryPosition, and those of this class
        self,
        head_dim: int,
        sections: Sequence[int],
        *,
        base: float = 10000.0,
        layout: RotaryLayout = "half",
        interleaved: bool = False,
        scaling: RotaryScaling | None = None,
        rotary_dim: int | None = None,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        options: Factory = {"device": device, "dtype": dtype}
        super().__init__(head_dim, base=base, layout=layout, scaling=scaling, rotary_dim=rotary_dim, **options)
        self.sections = tuple(sections)
        if sum(self.sections) != self.rotary_dim // 2 or min(self.sections, default=0) < 0:
            part = f"a head of {head_dim}" if self.rotary_dim == head_dim else f"a rotary_dim of {self.rotary_dim}"
            raise UsageError(
                f"sections {self.sections} add up to {sum(self.sections)}, but {part} has {self.rotary_dim // 2} "
                f"pairs; pass the model's mrope_section"
            )
        axis_of_pair = _in_turn(self.sections) if interleaved else _in_blocks(self.sections)
        self.register_constant("axis_of_pair", axis_of_pair)

    def _default_positions(self, q: Tensor) -> Tensor:
        return super()._default_positions(q).expand(len(self.sections), -1)

    def _per_pair(self, positions: Tensor) -> Tensor:
        return _coordinates(positions, self.axis_of_pair, len(self.sections))


def _in_blocks(sections: tuple[int, ...]) -> Tensor:
    """The axis of each pair, `(pairs,)` int64, one axis after the other.

    >>> _in_blocks((1, 3, 2))
    tensor([0, 1, 1, 1, 2, 2])
    """
    return torch.tensor([axis for axis, count in enumerate(sections) for _ in range(count)], device="cpu")


def _in_turn(sections: tuple[int, ...]) -> Tensor:
    """The axis of each pair: j mod n for pair j while that axis has pairs left, otherwise the first axis.

    >>> _in_turn((4, 2, 2))
    tensor([0, 1, 2, 0, 1, 2, 0, 0])
    """
    count = len(sections)
    axes = [pair % count if pair // count < sections[pair % count] else 0 for pair in range(sum(sections))]
    return torch.tensor(axes, device="cpu")


def _coordinates(positions: Tensor, axis_of_pair: Tensor, axes: int) -> Tensor:
    """`(axes, ..., seq)` → the coordinate of each pair, `(..., seq, pairs)` float32."""
    if positions.dim() < 2 or positions.shape[0] != axes:
        raise UsageError(
            f"positions must have {axes} coordinates in the first dimension, got shape {tuple(positions.shape)}; "
            f"pass ({axes}, seq) or ({axes}, batch, seq)"
        )
    return positions.float()[axis_of_pair.to(positions.device)].movedim(0, -1)

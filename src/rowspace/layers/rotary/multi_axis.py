"""Rotary position with several coordinates: row and column of a patch, or time, height and width of a video.

Each pair of components belongs to one coordinate, and its angle depends on that coordinate alone.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, Factory
from rowspace.layers.rotary.frequencies import RotaryScaling, rotary_frequencies
from rowspace.layers.rotary.position import RotaryLayout, RotaryPosition

__all__ = ["AxialRotaryPosition", "MultimodalRotaryPosition", "grid_positions"]


def grid_positions(height: int, width: int, *, merge_size: int = 1, device: torch.device | None = None) -> Tensor:
    """Row and column of each patch of a grid: `(2, height · width)` int64.

    Patches come row by row, or in blocks of `merge_size` × `merge_size`, each row by row, where a model joins such
    blocks to one token (Qwen2-VL). Raises `UsageError` where the blocks do not fit.

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
            f"resize the image so that both sides do"
        )
    rows = torch.arange(height, device=device).view(-1, 1, merge_size, 1)
    columns = torch.arange(width, device=device).view(1, -1, 1, merge_size)
    shape = (height // merge_size, width // merge_size, merge_size, merge_size)
    return torch.stack((rows.expand(shape).flatten(), columns.expand(shape).flatten()))


class AxialRotaryPosition(RotaryPosition):
    """Rotary position of patches: the first half of the pairs turns by the row, the second by the column.

    With `axes=3` it is thirds: time, row, column. Each axis has the frequencies of a head of `head_dim / axes`
    (Qwen2-VL's vision tower and its kin); with `alternate` the pairs of the whole head are dealt out in turn, so that
    row and column have different ones (Pixtral).

    q: `(..., heads, seq, head_dim)`; positions: `(axes, ..., seq)` numbers, as `grid_positions` makes them; fractions
    are fine. Raises `UsageError` where `head_dim` does not divide into pairs for each axis, or positions have other
    axes.

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
                f"head_dim is {head_dim}, but {axes} axes with as many pairs each need a multiple of {2 * axes}"
            )
        whole = rotary_frequencies(head_dim, base)
        dealt = torch.cat([whole[axis::axes] for axis in range(axes)])
        shared = rotary_frequencies(head_dim // axes, base).repeat(axes)
        self.axes = axes
        self.register_constant("frequencies", dealt if alternate else shared)
        self.register_constant("axis_of_pair", _in_blocks((head_dim // (2 * axes),) * axes))

    def _counted(self, q: Tensor) -> Tensor:
        raise UsageError(
            f"positions is None, but {plural(q.shape[-2], 'patch', 'patches')} may lie in many grids; pass "
            "grid_positions(height, width)"
        )

    def _per_pair(self, positions: Tensor) -> Tensor:
        return _coordinates(positions, self.axis_of_pair, self.axes)


class MultimodalRotaryPosition(RotaryPosition):
    """M-RoPE: text and video in one sequence, each token with a time, a height and a width.

    `sections` says how many pairs turn by time, height and width (Qwen2-VL: 16, 24, 24 of a head of 128). They lie
    one after the other, the fastest pairs with time, or with `interleaved` in turn t h w t h w … as long as each
    lasts, and time to the end (Qwen3-VL). The frequencies are those of the whole head, or of its first `rotary_dim`
    components, where only they turn (Qwen3.5). Where all three coordinates are equal, as for text, it is
    `RotaryPosition` to the bit.

    q: `(..., heads, seq, head_dim)`; positions: `(3, seq)` or `(3, batch, seq)`, counted from 0 in all three where
    they are not given. Raises `UsageError` where the sections do not add up to the pairs of a head. Source: Wang et
    al. 2024 (Qwen2-VL), section 2.1.

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

    def _counted(self, q: Tensor) -> Tensor:
        return super()._counted(q).expand(len(self.sections), -1)

    def _per_pair(self, positions: Tensor) -> Tensor:
        return _coordinates(positions, self.axis_of_pair, len(self.sections))


def _in_blocks(sections: tuple[int, ...]) -> Tensor:
    """The axis of each pair, `(pairs,)` int64, one axis after the other.

    >>> _in_blocks((1, 3, 2))
    tensor([0, 1, 1, 1, 2, 2])
    """
    return torch.tensor([axis for axis, count in enumerate(sections) for _ in range(count)], device="cpu")


def _in_turn(sections: tuple[int, ...]) -> Tensor:
    """The same with pair j on axis j mod n while that axis has pairs left, and else on the first.

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
            f"positions have the shape {tuple(positions.shape)}, but {axes} coordinates for each token are needed, "
            f"in the first dimension; pass ({axes}, seq) or ({axes}, batch, seq)"
        )
    return positions.float()[axis_of_pair.to(positions.device)].movedim(0, -1)

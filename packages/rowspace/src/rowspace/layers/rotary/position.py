"""Rotary positions: queries and keys rotated by position, so that attention scores depend only on offsets."""

import math
from typing import Literal

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.base_modules import ConstantBuffers
from rowspace.layers.rotary.frequencies import RotaryScaling
from rowspace.layers.tables.gather import require_tensor

__all__ = ["ReversedRotaryPosition", "RotaryLayout", "RotaryPosition", "rotate"]

RotaryLayout = Literal["half", "interleaved"]
"""Which two components form a pair; `RotaryPosition` shows both."""


class RotaryPosition(ConstantBuffers):
    """Rotates each pair of components of queries and keys by `position × frequency`. No parameters.

    The `layout` is which two components form a pair, here for a head of 8::

        half         0 1 2 3 4 5 6 7    pairs (0,4) (1,5) (2,6) (3,7): GPT-NeoX, Llama and most models in transformers
                     a b c d a b c d
        interleaved  0 1 2 3 4 5 6 7    pairs (0,1) (2,3) (4,5) (6,7): GPT-J, Cohere, Meta's Llama release
                     a a b b c c d d

    Angles, cosines and sines are float32 for every dtype of the model and are cast to that of q and k once.

    Source: RoFormer (Su et al. 2021); bit for bit transformers' `LlamaRotaryEmbedding` and those of GPT-J and GPT-NeoX.

    Args:
        head_dim: Components of a head.
        base: Base of the frequencies, above 1 (`rope_theta`).
        layout: "half" or "interleaved".
        rotary_dim: Number of leading components that are rotated, even; by default all (GPT-NeoX 25 % of the head,
            GPT-J 64 components, Phi).
        scaling: Scaling of the frequencies for longer texts.
        upcast: Rotate in float32 and cast the result (Meta's release, Qwen2-VL's vision tower).
        device: Device of the frequencies.
        dtype: Ignored.

    Raises:
        UsageError: For invalid arguments; in forward for inconsistent shapes.

    >>> rotary = RotaryPosition(4, base=100.0)
    >>> q = torch.tensor([1.0, 1.0, 0.0, 0.0]).expand(1, 1, 3, 4)
    >>> rotary(q, q)[0][0, 0]
    tensor([[ 1.0000,  1.0000,  0.0000,  0.0000],
            [ 0.5403,  0.9950,  0.8415,  0.0998],
            [-0.4161,  0.9801,  0.9093,  0.1987]])
    """

    frequencies: Tensor
    long_frequencies: Tensor

    def __init__(
        self,
        head_dim: int,
        *,
        base: float = 10000.0,
        layout: RotaryLayout = "half",
        rotary_dim: int | None = None,
        scaling: RotaryScaling | None = None,
        upcast: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(device=device, dtype=dtype)
        require_positive(head_dim=head_dim)
        if not 1 < base < math.inf:
            raise UsageError(
                f"base must be above 1 and finite, so that frequencies decrease, not {base}; see rope_theta"
            )
        self.head_dim = head_dim
        self.base = base
        self.layout: RotaryLayout = check_layout(layout)
        self.rotary_dim = check_rotary_dim(head_dim if rotary_dim is None else rotary_dim, head_dim)
        self.scaling = scaling if scaling is not None else RotaryScaling()
        self.upcast = upcast
        self.register_constant("frequencies", self.scaling.frequencies(self.rotary_dim, base))
        self.register_constant("long_frequencies", self.scaling.long_frequencies(self.rotary_dim, base))

    def forward(self, q: Tensor, k: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Rotate queries and keys.

        Args:
            q: `(..., heads, seq, head_dim)` floating.
            k: Like `q`; the number of heads may differ.
            positions: `(seq,)` or `(batch, seq)` integers, by default 0, 1, ….

        Returns:
            Both, in their shapes and dtypes.

        Raises:
            UsageError: For inconsistent shapes, or integer queries or keys.
        """
        self._check(q)
        self._check(k)
        if positions is None:
            positions = self._default_positions(q)
        cos, sin = self.angles(positions)
        return self.apply_angles(q, cos, sin), self.apply_angles(k, cos, sin)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The same as a call, as a method for attention layers: `q, k = rotary.rotate(q, k, positions)`."""
        result: tuple[Tensor, Tensor] = self(q, k, positions)
        return result

    def rotate_packed(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Rotate queries and keys of texts that are packed without padding, as flash-attention takes them.

        Args:
            q: `(total, heads, head_dim)` floating.
            k: Like `q`; the number of heads may differ.
            positions: `(total,)` integers, from `positions_of_packed`.

        Returns:
            Both, in their shapes and dtypes.

        Raises:
            UsageError: For inconsistent shapes, or integer queries or keys.
        """
        for each in (q, k):
            if each.dim() != 3 or positions.shape != each.shape[:1]:
                raise UsageError(
                    "packed q, k and positions must have the shapes (total, heads, head_dim) twice and (total,), got "
                    f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(positions.shape)}"
                )
        queries, keys = self(q.transpose(0, 1), k.transpose(0, 1), positions)
        return queries.transpose(0, 1), keys.transpose(0, 1)

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Compute cosines and sines, times the attention factor: once for all layers, which call `apply_angles`.

        Args:
            positions: As in `forward`.

        Returns:
            Cosine and sine, each `(..., seq, rotary_dim // 2)` float32.
        """
        angles = self._per_pair(positions) * self._frequencies_for(positions)  # (..., seq, rotary_dim // 2)
        return angles.cos() * self.scaling.attention_factor, angles.sin() * self.scaling.attention_factor

    def apply_angles(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """Rotate queries or keys by precomputed cosines and sines.

        Args:
            x: `(..., heads, seq, head_dim)` floating.
            cos: From `angles`.
            sin: From `angles`.

        Returns:
            The rotated tensor in the shape and dtype of `x`.

        Raises:
            UsageError: For inconsistent shapes.
        """
        self._check(x)
        if x.shape[-2] != cos.shape[-2]:
            raise UsageError(
                f"q or k has {plural(x.shape[-2], 'token')}, but there are {plural(cos.shape[-2], 'position')}; pass "
                f"one position per token, and q and k with heads before tokens"
            )
        rotated = rotate(x, cos.unsqueeze(-3), sin.unsqueeze(-3), layout=self.layout, upcast=self.upcast)
        if rotated.shape != x.shape:
            raise UsageError(
                f"positions of shape {tuple(cos.shape[:-1])} do not match q or k of shape {tuple(x.shape)}; pass "
                f"(seq,), or one row per text of the batch"
            )
        return rotated

    def _check(self, x: Tensor) -> None:
        """Raise for queries or keys of another shape or dtype."""
        require_tensor(x, "q and k")
        if x.dim() < 2 or not x.is_floating_point():
            raise UsageError(
                f"q and k must be floats of shape (..., heads, seq, head_dim), got {x.dtype} of shape "
                f"{tuple(x.shape)}; pass the projections of the hidden states"
            )
        if x.shape[-1] != self.head_dim:
            raise UsageError(
                f"q and k have {x.shape[-1]} components per head, but the rotation has head_dim = "
                f"{self.head_dim}; reshape them to (batch, heads, seq, head_dim)"
            )

    def frequencies_at(self, length: int) -> Tensor:
        """Return the frequencies for a sequence of `length` positions.

        Args:
            length: Number of positions.

        Returns:
            `(rotary_dim // 2,)` float32, radians per position.

        >>> RotaryPosition(4, base=100.0).frequencies_at(length=1)
        tensor([1.0000, 0.1000])
        """
        return self._frequencies_for(torch.tensor([length - 1], device=self.frequencies.device))

    def _default_positions(self, q: Tensor) -> Tensor:
        """The default positions of q."""
        return torch.arange(q.shape[-2], device=q.device)

    def _per_pair(self, positions: Tensor) -> Tensor:
        """The coordinate of each pair, float32, of a shape that broadcasts to `(..., seq, pairs)`."""
        return positions.unsqueeze(-1).float()

    def _frequencies_for(self, positions: Tensor) -> Tensor:
        """The frequencies for the largest position, `(rotary_dim // 2,)`, selected on the device without a sync."""
        short = self.frequencies.to(positions.device)
        limit = self.scaling.length_limit
        if limit is None or positions.numel() == 0:
            return short
        length = positions.max() + 1
        long = self.scaling.at_length(self.long_frequencies.to(positions.device), self.base, length)
        return torch.where(length > limit, long, short)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.head_dim}, base={self.base}, layout={self.layout!r}, rotary_dim={self.rotary_dim}"


class ReversedRotaryPosition(RotaryPosition):
    """`RotaryPosition` in the other direction, by `-position × frequency` (nanochat).

    Scores depend on offsets in the same way, but queries and keys differ from those of a `RotaryPosition`.

    >>> q = torch.ones(1, 1, 3, 4)
    >>> here, back = RotaryPosition(4), ReversedRotaryPosition(4)
    >>> torch.allclose(back.rotate(*here.rotate(q, q))[0], q)
    True
    """

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """As in `RotaryPosition`, with negative sines."""
        cos, sin = super().angles(positions)
        return cos, -sin


def rotate(x: Tensor, cos: Tensor, sin: Tensor, *, layout: RotaryLayout = "half", upcast: bool = False) -> Tensor:
    """Rotate the first `2 · pairs` components of x: each pair `(a, b)` becomes `(a·cos - b·sin, b·cos + a·sin)`.

    Args:
        x: `(..., head_dim)`.
        cos: `(..., pairs)`, broadcast against `x`.
        sin: Like `cos`.
        layout: As in `RotaryPosition`.
        upcast: As in `RotaryPosition`.

    Returns:
        The rotated tensor in the shape and dtype of `x`.

    Raises:
        UsageError: For another layout.

    >>> quarter = torch.tensor([0.0, 1.0])  # cosine and sine of 90°
    >>> rotate(torch.tensor([1.0, 0.0, 5.0]), quarter[:1], quarter[1:])
    tensor([0., 1., 5.])
    """
    check_layout(layout)
    rotated, unchanged = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    if upcast and x.dtype.itemsize < 4:
        rotated = rotated.float()
    cos, sin = cos.to(rotated.dtype), sin.to(rotated.dtype)
    first, second = rotated.chunk(2, dim=-1) if layout == "half" else (rotated[..., ::2], rotated[..., 1::2])
    pair = (first * cos - second * sin, second * cos + first * sin)
    result = torch.cat(pair, dim=-1) if layout == "half" else torch.stack(pair, dim=-1).flatten(-2)
    result = result.to(x.dtype)
    return torch.cat((result, unchanged), dim=-1) if unchanged.shape[-1] else result


def check_layout(layout: str) -> RotaryLayout:
    """Return `layout`, or raise `UsageError` if it is unknown."""
    if layout == "half":
        return "half"
    if layout == "interleaved":
        return "interleaved"
    raise UsageError(f"layout must be 'half' or 'interleaved', not {layout!r}")


def check_rotary_dim(rotary_dim: int, head_dim: int) -> int:
    """Return `rotary_dim`, or raise `UsageError` if it is odd, not positive or above `head_dim`."""
    if rotary_dim % 2 or not 0 < rotary_dim <= head_dim:
        raise UsageError(
            f"rotary_dim must be even and between 2 and head_dim = {head_dim}, not {rotary_dim}; pass the number of "
            f"components that the model rotates"
        )
    return rotary_dim

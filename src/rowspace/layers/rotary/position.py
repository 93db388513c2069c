"""Rotary position: queries and keys rotated by an angle that grows with position, so that scores see only offsets."""

from typing import Literal

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import Device
from rowspace.layers.constants import ConstantBuffers
from rowspace.layers.rotary.frequencies import RotaryScaling

__all__ = ["RotaryLayout", "RotaryPosition", "rotate"]

RotaryLayout = Literal["half", "interleaved"]


class RotaryPosition(ConstantBuffers):
    """Turns each pair of components of a query or key by `position × frequency`. No parameters.

    Which two components make a pair is the `layout`, drawn here for a head of 8; the maths is the same::

        half         0 1 2 3 4 5 6 7    pairs (0,4) (1,5) (2,6) (3,7): GPT-NeoX, Llama and most models in transformers
                     a b c d a b c d
        interleaved  0 1 2 3 4 5 6 7    pairs (0,1) (2,3) (4,5) (6,7): GPT-J, Cohere, Meta's own Llama release
                     a a b b c c d d

    `rotary_dim` turns the first so many components only (GPT-NeoX 25 % of the head, GPT-J 64 components, Phi), and
    must be even. Angles, cosines and sines are float32 whatever the model's dtype and are cast to that of q and k
    once; with `upcast` the rotation itself is in float32 too, and its result cast (Meta's release, Qwen2-VL's vision
    tower).

    q: `(..., heads, seq, head_dim)`; k may have fewer heads; positions: `(seq,)` or `(batch, seq)` integers, counted
    from 0 where they are not given. Raises `UsageError` for sizes that do not fit. Source: RoFormer (Su et al. 2021);
    bit for bit transformers' `LlamaRotaryEmbedding` and its GPT-J and GPT-NeoX kin.

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
        if base <= 1:
            raise UsageError(f"base is {base}, but frequencies fall only for a base above 1; see rope_theta")
        self.head_dim = head_dim
        self.base = base
        self.layout: RotaryLayout = check_layout(layout)
        self.rotary_dim = check_rotary_dim(head_dim if rotary_dim is None else rotary_dim, head_dim)
        self.scaling = scaling if scaling is not None else RotaryScaling()
        self.upcast = upcast
        self.register_constant("frequencies", self.scaling.frequencies(self.rotary_dim, base))
        self.register_constant("long_frequencies", self.scaling.long_frequencies(self.rotary_dim, base))

    def forward(self, q: Tensor, k: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Both turned, in the shapes and dtypes that came in."""
        self._check(q)
        self._check(k)
        if positions is None:
            positions = self._counted(q)
        cos, sin = self.angles(positions)
        return self.turn(q, cos, sin), self.turn(k, cos, sin)

    def rotate(self, q: Tensor, k: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The same under the name that reads well in an attention layer: `q, k = rotary.rotate(q, k, positions)`."""
        result: tuple[Tensor, Tensor] = self(q, k, positions)
        return result

    def angles(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine, each `(..., seq, rotary_dim // 2)` float32, times the attention factor.

        All layers of a model share them: make them once, and call `turn` in each layer.
        """
        angles = self._per_pair(positions) * self._frequencies_for(positions)  # (..., seq, rotary_dim // 2)
        return angles.cos() * self.scaling.attention_factor, angles.sin() * self.scaling.attention_factor

    def turn(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x, `(..., heads, seq, head_dim)`, turned by the angles of `angles`; of its own shape and dtype."""
        self._check(x)
        if x.shape[-2] != cos.shape[-2]:
            raise UsageError(
                f"q or k holds {plural(x.shape[-2], 'token')}, but {plural(cos.shape[-2], 'position')} came; pass "
                f"those of these tokens only, and heads before tokens"
            )
        return rotate(x, cos.unsqueeze(-3), sin.unsqueeze(-3), layout=self.layout, upcast=self.upcast)

    def _check(self, x: Tensor) -> None:
        """Raise for queries or keys that cannot be turned."""
        if x.dim() < 2 or not x.is_floating_point():
            raise UsageError(
                f"q and k must be floats of shape (..., heads, seq, head_dim), got {x.dtype} of shape "
                f"{tuple(x.shape)}; pass the projections of the hidden states"
            )
        if x.shape[-1] != self.head_dim:
            raise UsageError(
                f"q and k have {x.shape[-1]} components in a head, but this rotation was made for head_dim = "
                f"{self.head_dim}; reshape them to (batch, heads, seq, head_dim) first"
            )

    def frequencies_at(self, length: int) -> Tensor:
        """What the pairs of a sequence of `length` positions turn by, radians per position: `(rotary_dim // 2,)`.

        >>> RotaryPosition(4, base=100.0).frequencies_at(length=1)
        tensor([1.0000, 0.1000])
        """
        return self._frequencies_for(torch.tensor([length - 1], device=self.frequencies.device))

    def _counted(self, q: Tensor) -> Tensor:
        """The positions of q where none are given."""
        return torch.arange(q.shape[-2], device=q.device)

    def _per_pair(self, positions: Tensor) -> Tensor:
        """The coordinate that each pair turns by, float32, of a shape that broadcasts to `(..., seq, pairs)`."""
        return positions.unsqueeze(-1).float()

    def _frequencies_for(self, positions: Tensor) -> Tensor:
        """Those of the whole sequence, `(rotary_dim // 2,)`: its longest position decides, on the device, unread."""
        short = self.frequencies.to(positions.device)
        limit = self.scaling.length_limit
        if limit is None or positions.numel() == 0:
            return short
        length = positions.max() + 1
        long = self.scaling.at_length(self.long_frequencies.to(positions.device), self.base, length)
        return torch.where(length > limit, long, short)

    def extra_repr(self) -> str:
        """What `print` shows between the brackets."""
        return f"{self.head_dim}, base={self.base}, layout={self.layout!r}, rotary_dim={self.rotary_dim}"


def rotate(x: Tensor, cos: Tensor, sin: Tensor, *, layout: RotaryLayout = "half", upcast: bool = False) -> Tensor:
    """Turn the first `2 · cos.shape[-1]` components of x, pair by pair, and leave the others as they are.

    x: `(..., head_dim)`; cos, sin: `(..., pairs)`, of a shape that broadcasts against x. The result has the shape and
    dtype of x: `(a, b)` becomes `(a·cos - b·sin, b·cos + a·sin)`.

    >>> quarter = torch.tensor([0.0, 1.0])  # cosine and sine of 90°
    >>> rotate(torch.tensor([1.0, 0.0, 5.0]), quarter[:1], quarter[1:])
    tensor([0., 1., 5.])
    """
    turned, untouched = x[..., : 2 * cos.shape[-1]], x[..., 2 * cos.shape[-1] :]
    if upcast and x.dtype.itemsize < 4:
        turned = turned.float()
    cos, sin = cos.to(turned.dtype), sin.to(turned.dtype)
    first, second = turned.chunk(2, dim=-1) if layout == "half" else (turned[..., ::2], turned[..., 1::2])
    pair = (first * cos - second * sin, second * cos + first * sin)
    result = torch.cat(pair, dim=-1) if layout == "half" else torch.stack(pair, dim=-1).flatten(-2)
    result = result.to(x.dtype)
    return torch.cat((result, untouched), dim=-1) if untouched.shape[-1] else result


def check_layout(layout: str) -> RotaryLayout:
    """`layout` itself, or `UsageError`."""
    if layout == "half":
        return "half"
    if layout == "interleaved":
        return "interleaved"
    raise UsageError(f"layout is {layout!r}, but pairs are made either 'half' or 'interleaved'; choose one of the two")


def check_rotary_dim(rotary_dim: int, head_dim: int) -> int:
    """`rotary_dim` itself, or `UsageError` where it is odd, not positive or more than the head has."""
    if rotary_dim % 2 or not 0 < rotary_dim <= head_dim:
        raise UsageError(
            f"rotary_dim is {rotary_dim}, but must be even and between 2 and head_dim = {head_dim}: components turn in "
            f"pairs; pass the even number of components that the model rotates"
        )
    return rotary_dim

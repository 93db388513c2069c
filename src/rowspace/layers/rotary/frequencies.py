"""The frequencies of rotary positions, and the interface of a scaling."""

from dataclasses import dataclass

import torch
from torch import Tensor

from rowspace.errors import UsageError

__all__ = ["RotaryScaling", "rotary_frequencies"]


def rotary_frequencies(rotary_dim: int, base: float | Tensor = 10000.0) -> Tensor:
    """Frequencies `base^(-2i / rotary_dim)` of the pairs i = 0 … rotary_dim/2 - 1: `(rotary_dim // 2,)` float32.

    Source: RoFormer (Su et al. 2021), equation 15. A `base` that is a tensor decides the device, else it is the CPU.

    >>> rotary_frequencies(4, 100.0)
    tensor([1.0000, 0.1000])
    """
    device = base.device if isinstance(base, Tensor) else torch.device("cpu")
    return 1.0 / base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device=device) / rotary_dim)


@dataclass(frozen=True)
class RotaryScaling:
    """No scaling, and the base of the others.

    `frequencies` serve sequences up to `length_limit` (of any length, where that is None), `long_frequencies` those
    beyond it, after `at_length` has fitted them to the very length.
    """

    def __post_init__(self) -> None:
        factor = getattr(self, "factor", 1.0)
        if factor <= 0:
            raise UsageError(f"factor is {factor}, but texts grow by a positive number; pass new length / old length")

    @property
    def attention_factor(self) -> float:
        """What cosine and sine are multiplied by, so that scores keep their spread over longer texts."""
        return 1.0

    @property
    def length_limit(self) -> int | None:
        """The longest sequence, in positions, that `frequencies` serve; None where they serve every length."""
        return None

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`(rotary_dim // 2,)` float32 on the CPU, radians per position."""
        return rotary_frequencies(rotary_dim, base)

    def long_frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """The same for sequences longer than `length_limit`."""
        return self.frequencies(rotary_dim, base)

    def at_length(self, long: Tensor, base: float, length: Tensor) -> Tensor:
        """`long`, the long frequencies, fitted to a sequence of `length` positions (a scalar tensor)."""
        return long

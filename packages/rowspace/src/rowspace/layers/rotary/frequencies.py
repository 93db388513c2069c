"""The frequencies of rotary positions, and the base class of scalings."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from rowspace.layers.arguments import require_above

__all__ = ["RotaryScaling", "rotary_frequencies"]


def rotary_frequencies(rotary_dim: int, base: float | Tensor = 10000.0) -> Tensor:
    """Return the frequencies `base^(-2i / rotary_dim)` of the pairs i = 0 … rotary_dim/2 - 1.

    Source: RoFormer (Su et al. 2021), equation 15.

    Args:
        rotary_dim: Number of rotated components, even.
        base: A number, or a scalar tensor, whose device is used.

    Returns:
        `(rotary_dim // 2,)` float32, radians per position.

    >>> rotary_frequencies(4, 100.0)
    tensor([1.0000, 0.1000])
    """
    device = base.device if isinstance(base, Tensor) else torch.device("cpu")
    return 1.0 / base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device=device) / rotary_dim)


_NUMBERS = (
    *("factor", "max_positions", "original_max_positions"),
    *("low_freq_factor", "high_freq_factor", "beta_fast", "beta_slow"),
)
_OPTIONAL = ("attention_scale", "mscale", "mscale_all_dim")  # None or 0: off


@dataclass(frozen=True)
class RotaryScaling:
    """No scaling, and the base class of scalings.

    `frequencies` are for sequences up to `length_limit`, or of any length if that is None; `long_frequencies` are for
    longer ones, after `at_length` has adapted them to the length.

    Raises:
        UsageError: For a number that is not above 0 and finite.
    """

    def __post_init__(self) -> None:
        for field in fields(self):
            number = getattr(self, field.name)
            if field.name in _NUMBERS or (field.name in _OPTIONAL and number):
                require_above(0, **{field.name: number})

    @property
    def attention_factor(self) -> float:
        """Factor of cosine and sine, to keep the variance of scores over longer texts."""
        return 1.0

    @property
    def length_limit(self) -> int | None:
        """The longest sequence for `frequencies`, in positions, or None for no limit."""
        return None

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """Return `(rotary_dim // 2,)` float32 on the CPU, radians per position."""
        return rotary_frequencies(rotary_dim, base)

    def long_frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """Like `frequencies`, for sequences longer than `length_limit`."""
        return self.frequencies(rotary_dim, base)

    def at_length(self, long: Tensor, base: float, length: Tensor) -> Tensor:
        """Adapt `long`, the long frequencies, to a sequence of `length` positions (a scalar tensor)."""
        return long

"""Scalings of rotary frequencies, for longer texts than a model was trained on.

Each scaling is a frozen dataclass that maps `(rotary_dim, base)` to float32 frequencies, radians per position, one per
pair of components; `attention_factor` multiplies cosine and sine. Dynamic NTK and longrope also depend on the length of
the sequence. The order of operations is that of transformers' `modeling_rope_utils`, so the results are equal bit for
bit.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.layers.arguments import require_above
from rowspace.layers.rotary.frequencies import RotaryScaling, rotary_frequencies

__all__ = [
    "DynamicScaling",
    "LinearScaling",
    "Llama3Scaling",
    "LongRopeScaling",
    "ProportionalScaling",
    "YarnScaling",
]


@dataclass(frozen=True)
class LinearScaling(RotaryScaling):
    """All frequencies divided by `factor`, which interpolates positions (Chen et al. 2023; kaiokendev 2023).

    Args:
        factor: New length / old length.

    >>> LinearScaling(4.0).frequencies(4, 100.0)
    tensor([0.2500, 0.0250])
    """

    factor: float

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / factor`."""
        return rotary_frequencies(rotary_dim, base) / self.factor


@dataclass(frozen=True)
class ProportionalScaling(RotaryScaling):
    """Only the first `share` of the pairs are rotated, with the frequencies of the full head (Gemma 4).

    Unlike with a smaller `rotary_dim`, pairs span the full head.

    Args:
        share: Share of the rotated pairs, 0 to 1.
        factor: Divides the frequencies.

    >>> ProportionalScaling(share=0.5).frequencies(8, 10000.0)
    tensor([1.0000, 0.1000, 0.0000, 0.0000])
    """

    share: float
    factor: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share <= 1:
            raise UsageError(f"share must be between 0 and 1, not {self.share}")

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / factor` for the rotated pairs, 0 for the rest."""
        rotated = int(self.share * rotary_dim // 2)
        pairs = torch.arange(rotary_dim // 2, device="cpu")
        return torch.where(pairs < rotated, rotary_frequencies(rotary_dim, base), 0.0) / self.factor


@dataclass(frozen=True)
class DynamicScaling(RotaryScaling):
    """Dynamic NTK: beyond `max_positions` the base increases with the length L (bloc97 and emozilla 2023).

    `base' = base · (factor · L / max_positions - (factor - 1))^(d / (d - 2))`, with L the largest position + 1.
    transformers caches the frequencies of the longest sequence so far; here calls are independent.

    Args:
        factor: New length / old length.
        max_positions: Length in training.

    Raises:
        UsageError: In `long_frequencies`, for fewer than 4 rotated components.

    >>> scaling = DynamicScaling(2.0, max_positions=8)
    >>> scaling.at_length(scaling.frequencies(4, 100.0), 100.0, torch.tensor(16))
    tensor([1.0000, 0.0333])
    """

    factor: float
    max_positions: int

    @property
    def length_limit(self) -> int:
        """The length in training."""
        return self.max_positions

    def long_frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """The unscaled frequencies, which `at_length` replaces."""
        if rotary_dim < 4:
            raise UsageError(f"dynamic scaling needs 4 rotated components or more, not {rotary_dim}; use another")
        return rotary_frequencies(rotary_dim, base)

    def at_length(self, long: Tensor, base: float, length: Tensor) -> Tensor:
        """The frequencies of the base for this length."""
        rotary_dim = 2 * long.shape[-1]
        stretch = self.factor * length / self.max_positions - (self.factor - 1)
        return rotary_frequencies(rotary_dim, base * stretch ** (rotary_dim / (rotary_dim - 2)))


@dataclass(frozen=True)
class YarnScaling(RotaryScaling):
    """YaRN: high frequencies do not change, low ones are divided by `factor`, with a linear ramp between.

    Source: Peng et al. 2023, equations 17 to 23.

    Args:
        factor: New length / old length.
        original_max_positions: Length in training.
        beta_fast: High frequencies have at least this number of rotations within that length.
        beta_slow: Low frequencies have at most this number.
        attention_scale: The attention factor, by default `0.1 · ln(factor) + 1`.
        mscale: With `mscale_all_dim`, the attention factor is the ratio of theirs (DeepSeek).
        mscale_all_dim: See `mscale`.
        truncate: Whether the ends of the ramp are rounded (not in gpt-oss).

    >>> yarn = YarnScaling(4.0, original_max_positions=4096)
    >>> round(yarn.attention_factor, 4), yarn.frequencies(8, 10000.0)
    (1.1386, tensor([1.0000e+00, 1.0000e-01, 6.2500e-03, 2.5000e-04]))
    """

    factor: float
    original_max_positions: int
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    attention_scale: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None
    truncate: bool = True

    @property
    def attention_factor(self) -> float:
        """`attention_scale`, the ratio for DeepSeek, or `0.1 · ln(factor) + 1`."""
        if self.attention_scale is not None:
            return self.attention_scale
        if self.mscale and self.mscale_all_dim:
            return self._mscale(self.mscale) / self._mscale(self.mscale_all_dim)
        return self._mscale(1.0)

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """An interpolation of `f` and `f / factor`, pair by pair."""
        wavelengths = base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device="cpu") / rotary_dim)
        unscaled_share = 1 - self._ramp(rotary_dim, base)
        return 1.0 / (self.factor * wavelengths) * (1 - unscaled_share) + 1.0 / wavelengths * unscaled_share

    def _ramp(self, rotary_dim: int, base: float) -> Tensor:
        """0 for high frequencies, 1 for low ones: `(rotary_dim // 2,)` float32."""
        low = self._pair_with_rotations(self.beta_fast, rotary_dim, base)
        high = self._pair_with_rotations(self.beta_slow, rotary_dim, base)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, rotary_dim - 1)
        if low == high:
            high += 0.001  # avoids a division by zero
        pairs = torch.arange(rotary_dim // 2, dtype=torch.float32, device="cpu")
        return ((pairs - low) / (high - low)).clamp(0, 1)

    def _pair_with_rotations(self, count: float, rotary_dim: int, base: float) -> float:
        """The (fractional) pair with `count` rotations within the original length: `f · length = 2π · count`."""
        return rotary_dim * math.log(self.original_max_positions / (count * 2 * math.pi)) / (2 * math.log(base))

    def _mscale(self, weight: float) -> float:
        return 0.1 * weight * math.log(self.factor) + 1.0 if self.factor > 1 else 1.0


@dataclass(frozen=True)
class LongRopeScaling(RotaryScaling):
    """LongRoPE: each frequency divided by a number found by search, with separate lists for short and long texts.

    Texts of more than `original_max_positions` positions use the long list for all positions.

    Source: Ding et al. 2024; Phi-3.

    Args:
        short_factor: One number per pair.
        long_factor: One number per pair.
        original_max_positions: Length in the original training.
        factor: New length / original length.
        attention_scale: The attention factor, by default `√(1 + ln(factor) / ln(original_max_positions))`.

    Raises:
        UsageError: For an original length of 1; in `frequencies` and `long_frequencies`, for a list of another length.

    >>> longrope = LongRopeScaling((1.0, 1.0), (1.0, 8.0), original_max_positions=4096, factor=8.0)
    >>> longrope.long_frequencies(4, 100.0)
    tensor([1.0000, 0.0125])
    """

    short_factor: tuple[float, ...]
    long_factor: tuple[float, ...]
    original_max_positions: int
    factor: float = 1.0
    attention_scale: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(1, original_max_positions=self.original_max_positions)

    @property
    def attention_factor(self) -> float:
        """`attention_scale` or its default, for short texts too."""
        if self.attention_scale is not None:
            return self.attention_scale
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original_max_positions)) if self.factor > 1 else 1.0

    @property
    def length_limit(self) -> int:
        """The length in the original training."""
        return self.original_max_positions

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / short_factor`."""
        return self._divided("short_factor", rotary_dim, base)

    def long_frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / long_factor`."""
        return self._divided("long_factor", rotary_dim, base)

    def _divided(self, name: str, rotary_dim: int, base: float) -> Tensor:
        divisors: tuple[float, ...] = getattr(self, name)
        if len(divisors) != rotary_dim // 2:
            raise UsageError(
                f"{name} has {plural(len(divisors), 'number')}, but {rotary_dim} rotated components form "
                f"{plural(rotary_dim // 2, 'pair')}; pass one number per pair"
            )
        wavelengths = base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device="cpu") / rotary_dim)
        return 1.0 / (torch.tensor(divisors, dtype=torch.float32, device="cpu") * wavelengths)


@dataclass(frozen=True)
class Llama3Scaling(RotaryScaling):
    """Llama 3.1: short wavelengths do not change, long ones are multiplied by `factor`, with interpolation between.

    With L = original_max_positions, wavelengths below `L / high_freq_factor` are short, those above
    `L / low_freq_factor` long.

    Source: Meta's Llama 3.1 release, `apply_scaling`.

    Args:
        factor: New length / old length.
        low_freq_factor: See above.
        high_freq_factor: See above.
        original_max_positions: L, the length in training.

    >>> Llama3Scaling(8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_positions=64).frequencies(4, 10000.0)
    tensor([1.0000, 0.0012])
    """

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_positions: int

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f`, `f / factor`, or an interpolation of the two, by the wavelength `2π / f`."""
        full = rotary_frequencies(rotary_dim, base)
        wavelengths = 2 * math.pi / full
        low, high, length = self.low_freq_factor, self.high_freq_factor, self.original_max_positions
        share = (length / wavelengths - low) / (high - low)
        mixed = (1 - share) * full / self.factor + share * full
        scaled = torch.where(wavelengths > length / low, full / self.factor, mixed)
        return torch.where(wavelengths < length / high, full, scaled)

"""How rotary frequencies are changed so that a model reads longer texts than it was trained on.

Each scaling is a small frozen dataclass that turns `(rotary_dim, base)` into float32 frequencies, radians per position,
one for each pair of components; `attention_factor` multiplies cosine and sine. Two of them also depend on the length of
the sequence: dynamic NTK and longrope. The order of operations is that of transformers' `modeling_rope_utils`, so that
the results are equal bit by bit.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from rowspace._base.plural import plural
from rowspace.errors import UsageError
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
    """Every frequency divided by `factor`, as if positions lay closer together (Chen et al. 2023; kaiokendev 2023).

    >>> LinearScaling(4.0).frequencies(4, 100.0)
    tensor([0.2500, 0.0250])
    """

    factor: float

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / factor`."""
        return rotary_frequencies(rotary_dim, base) / self.factor


@dataclass(frozen=True)
class ProportionalScaling(RotaryScaling):
    """The first `share` of the pairs turn, at the frequencies of the whole head; the others stand still (Gemma 4).

    Unlike a smaller `rotary_dim`, pairs are still made across the whole head.

    >>> ProportionalScaling(share=0.5).frequencies(8, 10000.0)
    tensor([1.0000, 0.1000, 0.0000, 0.0000])
    """

    share: float
    factor: float = 1.0

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f / factor` for the pairs that turn, 0 for the rest."""
        turning = int(self.share * rotary_dim // 2)
        pairs = torch.arange(rotary_dim // 2, device="cpu")
        return torch.where(pairs < turning, rotary_frequencies(rotary_dim, base), 0.0) / self.factor


@dataclass(frozen=True)
class DynamicScaling(RotaryScaling):
    """Dynamic NTK: beyond `max_positions` the base grows with the length L (bloc97 and emozilla 2023).

    `base' = base · (factor · L / max_positions - (factor - 1))^(d / (d - 2))`, with L the largest position + 1.
    transformers keeps the frequencies of the longest sequence seen so far; here each call is on its own.

    >>> scaling = DynamicScaling(2.0, max_positions=8)
    >>> scaling.at_length(scaling.frequencies(4, 100.0), 100.0, torch.tensor(16))
    tensor([1.0000, 0.0333])
    """

    factor: float
    max_positions: int

    @property
    def length_limit(self) -> int:
        """The length that the model was trained on."""
        return self.max_positions

    def long_frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """The same; `at_length` makes others of them."""
        if rotary_dim < 4:
            raise UsageError(f"dynamic scaling needs 4 rotated components or more, not {rotary_dim}; choose another")
        return rotary_frequencies(rotary_dim, base)

    def at_length(self, long: Tensor, base: float, length: Tensor) -> Tensor:
        """Those of the base that this length asks for."""
        rotary_dim = 2 * long.shape[-1]
        stretch = self.factor * length / self.max_positions - (self.factor - 1)
        return rotary_frequencies(rotary_dim, base * stretch ** (rotary_dim / (rotary_dim - 2)))


@dataclass(frozen=True)
class YarnScaling(RotaryScaling):
    """YaRN: fast pairs keep their frequency, slow ones are divided by `factor`, a linear ramp lies between.

    Fast means at least `beta_fast` turns within `original_max_positions`, slow at most `beta_slow`. The attention
    factor is `0.1 · ln(factor) + 1` unless `attention_scale` says otherwise, or `mscale` and `mscale_all_dim`
    (DeepSeek) do: then it is the ratio of the two. `truncate=False` leaves the ends of the ramp unrounded (gpt-oss).
    Source: Peng et al. 2023, equations 17 to 23.

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
        """As the class says."""
        if self.attention_scale is not None:
            return self.attention_scale
        if self.mscale and self.mscale_all_dim:
            return self._mscale(self.mscale) / self._mscale(self.mscale_all_dim)
        return self._mscale(1.0)

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """A mix of `f` and `f / factor`, pair by pair."""
        wavelengths = base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device="cpu") / rotary_dim)
        kept = 1 - self._ramp(rotary_dim, base)
        return 1.0 / (self.factor * wavelengths) * (1 - kept) + 1.0 / wavelengths * kept

    def _ramp(self, rotary_dim: int, base: float) -> Tensor:
        """0 for pairs that turn fast, 1 for slow ones: `(rotary_dim // 2,)` float32."""
        low = self._pair_that_turns(self.beta_fast, rotary_dim, base)
        high = self._pair_that_turns(self.beta_slow, rotary_dim, base)
        if self.truncate:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, rotary_dim - 1)
        if low == high:
            high += 0.001  # a step is a very steep ramp
        pairs = torch.arange(rotary_dim // 2, dtype=torch.float32, device="cpu")
        return ((pairs - low) / (high - low)).clamp(0, 1)

    def _pair_that_turns(self, turns: float, rotary_dim: int, base: float) -> float:
        """The (fractional) pair that makes so many turns within the original length: `f · length = 2π · turns`."""
        return rotary_dim * math.log(self.original_max_positions / (turns * 2 * math.pi)) / (2 * math.log(base))

    def _mscale(self, weight: float) -> float:
        return 0.1 * weight * math.log(self.factor) + 1.0 if self.factor > 1 else 1.0


@dataclass(frozen=True)
class LongRopeScaling(RotaryScaling):
    """LongRoPE: each pair's frequency divided by a searched number, one list for short texts and one for long.

    Long means more than `original_max_positions` positions; then every position of the sequence takes the long list.
    The attention factor is `√(1 + ln(factor) / ln(original_max_positions))` unless `attention_scale` is given;
    `factor` is the new length over the original one. Source: Ding et al. 2024; Phi-3.

    >>> longrope = LongRopeScaling((1.0, 1.0), (1.0, 8.0), original_max_positions=4096, factor=8.0)
    >>> longrope.long_frequencies(4, 100.0)
    tensor([1.0000, 0.0125])
    """

    short_factor: tuple[float, ...]
    long_factor: tuple[float, ...]
    original_max_positions: int
    factor: float = 1.0
    attention_scale: float | None = None

    @property
    def attention_factor(self) -> float:
        """As the class says; the same for short texts."""
        if self.attention_scale is not None:
            return self.attention_scale
        return math.sqrt(1 + math.log(self.factor) / math.log(self.original_max_positions)) if self.factor > 1 else 1.0

    @property
    def length_limit(self) -> int:
        """The length that the model was first trained on."""
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
                f"{name} holds {plural(len(divisors), 'number')}, but {rotary_dim} rotated components make "
                f"{plural(rotary_dim // 2, 'pair')}; give one number for each pair"
            )
        wavelengths = base ** (torch.arange(0, rotary_dim, 2, dtype=torch.float32, device="cpu") / rotary_dim)
        return 1.0 / (torch.tensor(divisors, dtype=torch.float32, device="cpu") * wavelengths)


@dataclass(frozen=True)
class Llama3Scaling(RotaryScaling):
    """Llama 3.1: short wavelengths kept, long ones stretched by `factor`, a smooth passage between.

    With L = original_max_positions: wavelengths below `L / high_freq_factor` are kept, those above `L /
    low_freq_factor` stretched. Source: Meta's Llama 3.1 release, `apply_scaling`.

    >>> Llama3Scaling(8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_positions=64).frequencies(4, 10000.0)
    tensor([1.0000, 0.0012])
    """

    factor: float
    low_freq_factor: float
    high_freq_factor: float
    original_max_positions: int

    def frequencies(self, rotary_dim: int, base: float) -> Tensor:
        """`f`, `f / factor`, or a mix of the two, by the wavelength `2π / f`."""
        full = rotary_frequencies(rotary_dim, base)
        wavelengths = 2 * math.pi / full
        low, high, length = self.low_freq_factor, self.high_freq_factor, self.original_max_positions
        kept = (length / wavelengths - low) / (high - low)
        mixed = (1 - kept) * full / self.factor + kept * full
        stretched = torch.where(wavelengths > length / low, full / self.factor, mixed)
        return torch.where(wavelengths < length / high, full, stretched)

"""Norms of the inputs of published models that `torch.nn` does not compute in the same order of operations."""

from typing import Literal, Unpack

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory

__all__ = ["NORMS", "Affine", "NormKind", "RootMeanSquareNorm", "StepwiseLayerNorm", "norm_of"]

NormKind = Literal[
    "layer",
    "layer_in_steps",
    "affine",
    "shift_then_scale",
    "rms",
    "rms_contiguous",
    "rms_in_float32",
    "rms_plus_one",
    "rms_unweighted",
    "rms_power",
    "rms_power_weighted",
]
NORMS: tuple[NormKind, ...] = NormKind.__args__  # type: ignore[attr-defined]  # of a Literal


def norm_of(kind: NormKind, dim: int, *, eps: float, bias: bool = True, **factory: Unpack[Factory]) -> nn.Module:
    """Build a norm by its name in `families.toml`.

    Args:
        kind: "layer" is `nn.LayerNorm`; "layer_in_steps" `StepwiseLayerNorm`; "affine" `Affine`; the others are forms
            of `RootMeanSquareNorm`.
        dim: d.
        eps: Added to the variance or the mean square.
        bias: Whether `nn.LayerNorm` has a bias.
        **factory: `device` and `dtype` of the parameters.

    Returns:
        A module (..., d) → (..., d).

    >>> norm_of("rms", 4, eps=1e-5)
    RootMeanSquareNorm(4, eps=1e-05, form='rms')
    """
    if kind == "layer":
        return nn.LayerNorm(dim, eps=eps, bias=bias, **factory)
    if kind == "layer_in_steps":
        return StepwiseLayerNorm(dim, eps=eps, **factory)
    if kind in ("affine", "shift_then_scale"):
        return Affine(dim, shift_first=kind == "shift_then_scale", **factory)
    if kind not in NORMS:
        raise UsageError(f"norm must be one of {', '.join(NORMS)}, not {kind!r}")
    return RootMeanSquareNorm(dim, eps=eps, form=kind, **factory)


class Affine(nn.Module):
    """x (..., d) → `x * weight + bias`: what MobileBERT has instead of a norm.

    Source: Sun et al. 2020 (MobileBERT), section 3.2; bit for bit transformers' `NoNorm`.

    Args:
        dim: d.
        shift_first: Compute `(x + bias) * weight`, as Zaya does.
        **factory: `device` and `dtype` of the parameters.

    >>> Affine(2)(torch.tensor([3.0, 4.0])).tolist()
    [3.0, 4.0]
    """

    def __init__(self, dim: int, *, shift_first: bool = False, **factory: Unpack[Factory]) -> None:
        super().__init__()
        self.shift_first = shift_first
        self.weight = nn.Parameter(torch.ones(dim, **factory))
        self.bias = nn.Parameter(torch.zeros(dim, **factory))

    def forward(self, x: Tensor) -> Tensor:
        """X (..., d) → (..., d)."""
        return (x + self.bias) * self.weight if self.shift_first else x * self.weight + self.bias


class StepwiseLayerNorm(Affine):
    """A LayerNorm in separate operations, in float32, whose last bits differ from `nn.LayerNorm`.

    Source: bit for bit transformers' `DebertaLayerNorm` and, without quantization, `IntLayerNorm`.

    Args:
        dim: d.
        eps: Added to the variance.
        **factory: `device` and `dtype` of the parameters.

    >>> StepwiseLayerNorm(2, eps=0.0)(torch.tensor([3.0, 5.0])).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, dim: int, *, eps: float, **factory: Unpack[Factory]) -> None:
        super().__init__(dim, **factory)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """X (..., d) → (..., d), in the dtype of x."""
        wide = x.float()
        centered = wide - wide.mean(-1, keepdim=True)
        variance = centered.pow(2).mean(-1, keepdim=True)
        return self.weight * (centered / torch.sqrt(variance + self.eps)).to(x.dtype) + self.bias


class RootMeanSquareNorm(nn.Module):
    """x (..., d) → (..., d): divided by its root mean square in float32, times `weight` (d,).

    `nn.RMSNorm` differs from it in the last bits. The forms differ in where they round, and in the weight::

        rms                 weight · rounded(x)                Llama
        rms_contiguous      the same of x made contiguous      Pixtral
        rms_in_float32      rounded(weight · x)                Inkling 2
        rms_plus_one        rounded((1 + weight) · x)          Gemma
        rms_unweighted      rounded(x)                         nanochat
        rms_power           rounded(x), by a power of -1/2     Muse
        rms_power_weighted  rounded(weight · x), likewise      Gemma 3n, 4

    Source: Zhang and Sennrich 2019; bit for bit the norms of these models in transformers.

    Args:
        dim: d.
        eps: Added to the mean square.
        form: One of the forms above.
        **factory: `device` and `dtype` of the weight.

    >>> RootMeanSquareNorm(2, eps=0.0)(torch.tensor([6.0, 8.0])).square().mean().item()
    1.0
    """

    weight: nn.Parameter | None

    def __init__(self, dim: int, *, eps: float, form: NormKind = "rms", **factory: Unpack[Factory]) -> None:
        super().__init__()
        self.dim, self.eps, self.form = dim, eps, form
        start = torch.full((dim,), 0.0 if form == "rms_plus_one" else 1.0, **factory)
        self.weight = None if form in ("rms_unweighted", "rms_power") else nn.Parameter(start)

    def forward(self, x: Tensor) -> Tensor:
        """X (..., d) → (..., d), in the dtype of x."""
        wide = (x.contiguous() if self.form == "rms_contiguous" else x).float()
        square = wide.pow(2).mean(-1, keepdim=True) + self.eps
        normed = wide * (square.pow(-0.5) if self.form.startswith("rms_power") else torch.rsqrt(square))
        if self.weight is None:
            return normed.to(x.dtype)
        if self.form in ("rms", "rms_contiguous"):
            return self.weight * normed.to(x.dtype)
        weight = self.weight.float()
        return (normed * (1.0 + weight if self.form == "rms_plus_one" else weight)).to(x.dtype)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        return f"{self.dim}, eps={self.eps}, form={self.form!r}"

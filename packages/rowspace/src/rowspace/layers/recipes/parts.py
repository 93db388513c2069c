"""Parts of single published models: norms whose order of operations is not that of `torch.nn`, tables, an input."""

from typing import Any, Literal, Unpack

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Factory
from rowspace.layers.inputs.input_embedding import InputEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding

__all__ = [
    "NORMS",
    "Affine",
    "CodePointEmbedding",
    "MaskedInput",
    "NormKind",
    "RootMeanSquareNorm",
    "StepwiseLayerNorm",
    "TrigramEmbedding",
    "norm_of",
]

PRIMES = (31, 43, 59, 61, 73, 97, 103, 113, 137, 149, 157, 173, 181, 193, 211, 223)  # of CANINE

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


class MaskedInput(InputEmbedding):
    """An input with zeros for mask tokens and, given a mask, for padding; the other rows are scaled to make up for it.

    They are multiplied by 0.88 / (1 - m), where m is the share of mask tokens in the text: in training it was 12 %.

    Source: Lin et al. 2022 (ESM-2), with dropout of mask tokens; bit for bit transformers' `EsmEmbeddings`.

    Args:
        mask_idx: Id of the mask token, or None for rows like any other.
        **parts: As in `InputEmbedding`.

    >>> embed = MaskedInput(mask_idx=4, tokens=TokenEmbedding(5, 2))
    >>> embed(torch.tensor([[3, 4]]))[0, 1].tolist()
    [0.0, 0.0]
    """

    def __init__(self, *, mask_idx: int | None, **parts: Any) -> None:
        super().__init__(**parts)
        self.mask_idx = mask_idx

    def forward(
        self,
        ids: Tensor,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        start: int = 0,
    ) -> Tensor:
        """As in `InputEmbedding`."""
        rows = super().forward(ids, segments, mask=mask, positions=positions, start=start)
        if self.mask_idx is not None:
            masked = ids == self.mask_idx
            share = masked.sum(-1) / (ids.shape[-1] if mask is None else mask.sum(-1))
            rows = rows.masked_fill(masked.unsqueeze(-1), 0.0)
            rows = (rows * (1 - 0.15 * 0.8) / (1 - share)[:, None, None]).to(rows.dtype)
        return rows if mask is None else rows * mask[..., start:].unsqueeze(-1).to(rows.dtype)


class TrigramEmbedding(nn.Module):
    """ids (batch, seq) → (batch, seq, d): a linear map of the narrow rows of the next, this and the previous token.

    Before the first and after the last token there are zeros.

    Source: Sun et al. 2020 (MobileBERT), section 3.1; bit for bit transformers' `MobileBertEmbeddings`.

    Args:
        num_embeddings: V.
        embedding_dim: d.
        inner_dim: e, the dimension of the table.
        padding_idx: Padding row of the table.
        **factory: `device` and `dtype` of the parameters.

    >>> TrigramEmbedding(10, 4, 2)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 4])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        inner_dim: int,
        *,
        padding_idx: int | None = None,
        **factory: Unpack[Factory],
    ) -> None:
        super().__init__()
        self.table = TokenEmbedding(num_embeddings, inner_dim, padding_idx, **factory)
        self.projection = nn.Linear(3 * inner_dim, embedding_dim, **factory)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (batch, seq) → (batch, seq, d)."""
        rows = functional.pad(self.table(ids), (0, 0, 1, 1))
        # rows: (batch, 1 + seq + 1, e)
        output: Tensor = self.projection(torch.cat((rows[:, 2:], rows[:, 1:-1], rows[:, :-2]), dim=-1))
        return output


class CodePointEmbedding(nn.Module):
    """Code points (...) → (..., d): the rows, each of d / k components, that k hashes select, side by side.

    Hash j of code point c is row `(c + 1) · prime_j mod m` of the j-th part of `table`, which has k parts of m rows.

    Source: Clark et al. 2022 (CANINE), section 3.1; bit for bit transformers' `CanineEmbeddings`.

    Args:
        num_rows: m.
        embedding_dim: d.
        num_hashes: k.
        **factory: `device` and `dtype` of the parameters.

    >>> CodePointEmbedding(10, 4, 2)(torch.tensor([[97, 0x10FFFF]])).shape
    torch.Size([1, 2, 4])
    """

    def __init__(self, num_rows: int, embedding_dim: int, num_hashes: int, **factory: Unpack[Factory]) -> None:
        super().__init__()
        self.num_rows = num_rows
        self.num_hashes = num_hashes
        self.table = TokenEmbedding(num_hashes * num_rows, embedding_dim // num_hashes, **factory)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        primes = torch.tensor(PRIMES[: self.num_hashes], device=ids.device)
        parts = torch.arange(self.num_hashes, device=ids.device) * self.num_rows
        rows: Tensor = self.table((ids.long().unsqueeze(-1) + 1) * primes % self.num_rows + parts)
        # rows: (..., k, d / k)
        return rows.flatten(-2)

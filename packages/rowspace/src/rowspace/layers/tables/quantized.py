"""A table of 8-bit or 4-bit codes with one scale per row, for inference: `QuantizedEmbedding`.

Approximates each number of a trained table (V, d) by the nearest multiple of the scale of its row.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.base_modules import CountedModule, RecordedSettings
from rowspace.layers.tables.gather import gather_rows

_ROWS_AT_ONCE = 4096


class QuantizedEmbedding(RecordedSettings, CountedModule):
    """ids (...) → (..., d): `scales[id] * codes[id]`; only the rows looked up are converted to floats.

    The scale of a row is its largest magnitude divided by 127 (8 bits) or 7 (4 bits), and its codes are its numbers
    divided by the scale, rounded half to even: the error is at most half a scale. Two 4-bit codes are packed into a
    byte, column j in the lower half of byte j and column j + ⌈d/2⌉ in the upper half, plus 8. Rows have the dtype of
    `scales`, float32 unless the module is cast. It takes V·d bytes for 8 bits, V·⌈d/2⌉ for 4, and 4·V for the scales.
    `state_dict` records the bits and d, and `load_state_dict` refuses a state with others.

    Source: absmax by row, as in Dettmers et al. 2022, "LLM.int8()", section 2.

    Args:
        num_embeddings: V.
        embedding_dim: d.
        bits: 8 or 4.
        device: Device of codes and scales.
        dtype: Dtype of the scales.

    Raises:
        UsageError: For a size below 1 or other bits; in forward for an id out of range.

    >>> table = QuantizedEmbedding.from_float(torch.tensor([[0.5, -1.27, 0.004], [0.0, 0.0, 0.0]]))
    >>> table(torch.tensor([0, 1]))
    tensor([[ 0.5000, -1.2700,  0.0000],
            [ 0.0000,  0.0000,  0.0000]])
    >>> table.bytes  # 6 codes, 2 scales
    14
    """

    codes: Tensor
    scales: Tensor

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        bits: Literal[4, 8] = 8,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        if bits not in (4, 8):
            raise UsageError(f"bits must be 4 or 8, not {bits}")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.bits = bits
        width, code = (embedding_dim, torch.int8) if bits == 8 else (-(-embedding_dim // 2), torch.uint8)
        self.register_buffer("codes", torch.empty(num_embeddings, width, device=device, dtype=code))
        self.register_buffer("scales", torch.empty(num_embeddings, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all rows to zero."""
        self.codes.zero_()
        self.scales.zero_()

    @classmethod
    def from_float(cls, weight: Tensor, *, bits: Literal[4, 8] = 8) -> Self:
        """Quantize a float table, read in blocks of rows so that it may be memory-mapped.

        Args:
            weight: (V, d) floating.
            bits: 8 or 4.

        Returns:
            The module, on the device of `weight`.

        Raises:
            UsageError: If `weight` is not a 2-D float tensor or contains a number that is not finite.
        """
        if weight.dim() != 2 or not weight.is_floating_point():
            raise UsageError(f"weight must be a float table (V, d), not {weight.dtype} of shape {list(weight.shape)}")
        table = cls(*weight.shape, bits=bits, device=weight.device)
        for start in range(0, len(weight), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            table.codes[rows], table.scales[rows] = _quantized(weight.detach()[rows].float(), bits, first=start)
        return table

    @property
    def num_parameters(self) -> int:
        """Number of elements of the table (V·d) and the scales (V)."""
        return self.num_embeddings * (self.embedding_dim + 1)

    @property
    def weight(self) -> Tensor:
        """All rows (V, d) as floats, a new tensor; a `TiedHead` reads it."""
        return self.dequantize()

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        return self._floats(gather_rows(ids, self.codes), self.scales[ids])

    def dequantize(self) -> Tensor:
        """Return all rows (V, d) as floats."""
        return self._floats(self.codes, self.scales)

    def recorded_settings(self) -> list[int]:
        """Bits and dimension, which the shape of the codes does not determine."""
        return [self.bits, self.embedding_dim]

    def explain_settings(self, found: list[int] | None, state: Mapping[str, Any]) -> str | None:
        """Explain a difference in bits or dimension; for an older state that records neither, by its codes."""
        if found == self.recorded_settings():
            return None
        if found is None:
            return self._explain_codes(state.get("codes"))
        if len(found) != 2:
            return f"its recorded settings are damaged: expected bits and dimension, got {found}; save the state again"
        bits, dim = found
        return (
            f"the state is of a table of {bits} bits and {dim} columns, not {self.bits} bits and {self.embedding_dim} "
            f"columns; build the module with bits={bits} and embedding_dim={dim}"
        )

    def _explain_codes(self, codes: Tensor | None) -> str | None:
        """Explain a difference in bits or dimension by the codes; torch would copy 4-bit codes into an 8-bit table."""
        if codes is None or (codes.dtype == self.codes.dtype and codes.shape[1:] == self.codes.shape[1:]):
            return None
        bits = {torch.int8: "8 bits", torch.uint8: "4 bits"}.get(codes.dtype, "neither 4 nor 8 bits")
        return (
            f"the state records no bits, and its codes, {codes.dtype} of shape {list(codes.shape)}, have {bits}; "
            f"this table has {self.bits} bits and {self.embedding_dim} columns, with codes {self.codes.dtype} of "
            f"shape {list(self.codes.shape)}; build the module with the bits and the dimension of the saved one"
        )

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}, bits={self.bits}"

    def _floats(self, codes: Tensor, scales: Tensor) -> Tensor:
        """Codes (..., width), scales (...) → (..., d)."""
        if self.bits == 8:
            return codes.to(scales.dtype).mul_(scales.unsqueeze(-1))
        # The upper half in exact float arithmetic: the ONNX exporter of torch 2.13 shifts bytes as if they were signed.
        lower = (codes & 15).to(scales.dtype)
        upper = codes.to(scales.dtype).sub_(lower).mul_(1 / 16)
        halves = torch.cat([lower, upper], dim=-1)[..., : self.embedding_dim]
        return (halves - 8).mul_(scales.unsqueeze(-1))


def _quantized(rows: Tensor, bits: int, *, first: int) -> tuple[Tensor, Tensor]:
    """Rows (n, d) float32 → codes (n, width) and scales (n,)."""
    limit = 2 ** (bits - 1) - 1
    largest = rows.abs().amax(dim=1)
    # A subnormal scale has few significant digits or is zero, so the codes would overflow.
    scales = (largest / limit).clamp_min(torch.finfo(rows.dtype).tiny) * (largest > 0)
    if not rows.is_meta and not torch.isfinite(scales).all():
        row = first + int((~torch.isfinite(scales)).nonzero()[0])
        raise UsageError(f"weight has a number that is not finite in row {row}; repair the table first")
    codes = (rows / torch.where(scales > 0, scales, 1.0).unsqueeze(1)).round_()
    return (codes.to(torch.int8) if bits == 8 else _packed(codes)), scales


def _packed(codes: Tensor) -> Tensor:
    """Codes from -7 to 7 (n, d) → two per byte (n, ⌈d/2⌉) uint8; if d is odd, the last upper half is unused."""
    codes = torch.nn.functional.pad(codes + 8, (0, codes.shape[1] % 2)).to(torch.uint8)
    lower, upper = codes.chunk(2, dim=1)
    return lower | upper << 4

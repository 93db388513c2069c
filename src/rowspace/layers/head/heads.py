"""Hidden states → logits, through the table itself (tied) or through a matrix of the head (untied).

A tied head holds no copy of the table: it reads `embedding.weight` at each call. The tie therefore survives deepcopy,
pickling, `.to(...)`, loading and sharding; the state dict names the table once, and safetensors can save it unchanged.
"""

import math
from typing import Any, Literal, Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device
from rowspace.layers.head.cross_entropy import cross_entropy

__all__ = ["TiedHead", "UntiedHead"]

Scale = float | Literal["rsqrt"] | None


class _Head(nn.Module):
    """What both heads do with their weight."""

    bias: nn.Parameter | None

    def __init__(self, bias: Tensor | None, scale: Scale, softcap: float | None, temperature: float) -> None:
        super().__init__()
        if isinstance(scale, str) and scale != "rsqrt":
            raise UsageError(f'scale must be a number, "rsqrt" for embedding_dim ** -0.5, or None, got {scale!r}')
        if not all(0 < number < math.inf for number in (1 if softcap is None else softcap, temperature)):
            raise UsageError(
                f"softcap and temperature must be above 0 and finite (or None and 1), got {softcap} and {temperature}"
            )
        self.scale, self.softcap, self.temperature = scale, softcap, temperature
        self.bias = None if bias is None else nn.Parameter(bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """Logits (..., V) of hidden states (..., d)."""
        weight = self._checked_weight(hidden)
        logits = functional.linear(self._scaled(hidden, weight), weight, self.bias)
        if self.softcap is not None:
            logits = torch.tanh(logits / self.softcap) * self.softcap
        return logits if self.temperature == 1 else logits / self.temperature

    def loss(self, hidden: Tensor, targets: Tensor, **options: Any) -> Tensor:
        """`cross_entropy` of hidden states (..., d) against ids (...), without all logits; `options` are its own.

        The same as `F.cross_entropy(head(hidden), targets)`.
        """
        # With x = logits / T: cap · tanh(logits / cap) / T = (cap / T) · tanh(x / (cap / T)).
        weight, heat = self._checked_weight(hidden), self.temperature
        states = self._scaled(hidden, weight)
        bias: Tensor | None = self.bias
        if heat != 1:
            states = states / heat
            bias = None if bias is None else bias / heat
        softcap = None if self.softcap is None else self.softcap / heat
        return cross_entropy(states, weight, targets, bias=bias, softcap=softcap, **options)

    def extra_repr(self) -> str:
        """The arguments, for `print(module)`."""
        rows, dim = cast(Tensor, self.weight).shape
        return (
            f"{dim}, {rows}, bias={self.bias is not None}, scale={self.scale!r}, softcap={self.softcap}, "
            f"temperature={self.temperature}"
        )

    def _scaled(self, hidden: Tensor, weight: Tensor) -> Tensor:
        if self.scale is None:
            return hidden
        return hidden * (weight.shape[1] ** -0.5 if self.scale == "rsqrt" else self.scale)

    def _checked_weight(self, hidden: Tensor) -> Tensor:
        weight = cast(Tensor, self.weight)
        if hidden.ndim < 1 or hidden.shape[-1] != weight.shape[1]:
            raise UsageError(
                f"hidden must have shape (..., {weight.shape[1]}), got {tuple(hidden.shape)}; where the table is "
                "narrower than the model, project first"
            )
        return weight


class HasWeight(Protocol):
    """A module with the table in `weight` (V, d): `TokenEmbedding`, `nn.Embedding`."""

    weight: Any


class TiedHead(_Head):
    """Logits through the rows of an embedding: one table, read twice, counted once.

    Args:
        embedding: `TokenEmbedding`, `nn.Embedding`, or any module with `weight` (V, d), which the model must hold too:
            the head only refers to it, and neither moves it nor saves it. The attribute `embedding` can be set to
            another one; `check_tied` finds a head whose embedding the model no longer holds.
        bias: add a learned number to each logit (BERT).
        scale: of the hidden states: a number, or "rsqrt" for d ** -0.5 (T5).
        softcap: bound the logits: `softcap · tanh(logits / softcap)` (Gemma 2: 30).
        temperature: divides the logits last.
        device, dtype: of the bias; by default those of the table.

    Call with hidden (..., d); returns (..., V). An embedding's own scale (Gemma, 2017) stays out: rows are read as they
    are. Raises UsageError where widths or settings do not fit.

    With FSDP, embedding and head belong in one unit (the root), as do all parameters that are used twice.

    Source: Using the Output Embedding to Improve Language Models (Press and Wolf, 2017).

    >>> table = nn.Embedding.from_pretrained(torch.tensor([[.5, .3, -.1], [.8, -.2, .4], [.1, .9, .3], [-.3, .5, .6]]))
    >>> TiedHead(table)(torch.tensor([0.6, 0.1, 0.3]))
    tensor([0.3000, 0.5800, 0.2400, 0.0500])
    """

    embedding: HasWeight

    def __init__(
        self,
        embedding: HasWeight,
        *,
        bias: bool = False,
        scale: Scale = None,
        softcap: float | None = None,
        temperature: float = 1.0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        _require_table(embedding)
        table = embedding.weight.detach()
        start = table.new_zeros(len(table), device=device, dtype=dtype) if bias else None
        super().__init__(start, scale, softcap, temperature)
        self.embedding = embedding

    def __setattr__(self, name: str, value: Any) -> None:
        """Refer to an embedding without holding it: a submodule would put the table into the state dict twice."""
        if name == "embedding":
            _require_table(value)
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def reset_parameters(self) -> None:
        """Set the bias to zero; the table belongs to the embedding, which initializes it."""
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    @property
    def weight(self) -> Tensor:
        """The table (V, d), as the embedding has it now."""
        return cast(Tensor, self.embedding.weight)


def _require_table(embedding: HasWeight) -> None:
    """Raise `UsageError` for a module without a table."""
    if getattr(getattr(embedding, "weight", None), "ndim", None) != 2:
        raise UsageError(f"embedding must be a module with a weight (V, d), got {type(embedding).__name__}")


class UntiedHead(_Head):
    """Logits through a matrix of the head's own (Llama 2 7B, Llama 3 8B, Mistral).

    Args are those of `TiedHead`, with the sizes in place of the embedding. The weight (V, d) starts from a normal
    distribution of standard deviation 0.02, the bias from zero.

    >>> UntiedHead(4096, 32000)(torch.rand(2, 7, 4096)).shape
    torch.Size([2, 7, 32000])
    """

    def __init__(
        self,
        embedding_dim: int,
        num_embeddings: int,
        *,
        bias: bool = False,
        scale: Scale = None,
        softcap: float | None = None,
        temperature: float = 1.0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        if embedding_dim < 1 or num_embeddings < 1:
            sizes = f"{embedding_dim} and {num_embeddings}"
            raise UsageError(f"embedding_dim and num_embeddings must be at least 1, got {sizes}; d comes first")
        start = torch.zeros(num_embeddings, device=device, dtype=dtype) if bias else None
        super().__init__(start, scale, softcap, temperature)
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weight again, from `generator` or else from PyTorch's own, and set the bias to zero."""
        nn.init.normal_(self.weight, std=0.02, generator=generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

"""Hidden states → logits, with the embedding table (tied) or with a separate matrix (untied).

A tied head has no copy of the table: it reads `embedding.weight` at each call. The tie therefore survives deepcopy,
pickling, `.to(...)`, loading and sharding; the state dict contains the table once, and safetensors can save it.
"""

import math
from typing import Any, Literal, Protocol, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_in_data_parallel
from rowspace.layers.arguments import Device, is_finite
from rowspace.layers.head.cross_entropy import cross_entropy
from rowspace.layers.head.loss_arguments import Reduction
from rowspace.layers.head.wrapping import heads, require_table
from rowspace.layers.tables.distributed_lookup import distributed_sentence, is_distributed
from rowspace.layers.tables.init import init_rows_
from rowspace.layers.tables.wrapped import loaded, read_table, require_numbers, table_of

__all__ = ["TiedHead", "UntiedHead"]

Scale = float | Literal["rsqrt"] | None


class _Head(nn.Module):
    """The base class of both heads."""

    bias: nn.Parameter | None
    shards: Any = None  # of `vocabulary_parallel`: computes logits and losses with the rows of this process

    def __init__(self, bias: Tensor | None, scale: Scale, softcap: float | None, temperature: float) -> None:
        super().__init__()
        if isinstance(scale, str) and scale != "rsqrt":
            raise UsageError(f'scale must be a number, "rsqrt" for embedding_dim ** -0.5, or None, got {scale!r}')
        if not isinstance(scale, str | None) and not is_finite(scale):
            raise UsageError(f"scale must be finite, got {scale!r}; None turns it off")
        if not all(0 < number < math.inf for number in (1 if softcap is None else softcap, temperature)):
            raise UsageError(
                f"softcap and temperature must be above 0 and finite (or None and 1), got {softcap} and {temperature}"
            )
        self.scale, self.softcap, self.temperature = scale, softcap, temperature
        self.bias = None if bias is None else nn.Parameter(bias)

    def forward(self, hidden: Tensor) -> Tensor:
        """Logits (..., V) of hidden states (..., d)."""
        weight = self._checked_weight(hidden)
        states = self._scaled(hidden, weight)
        if self.shards is not None:
            return self._finished(self.shards.logits(states, weight, self.bias))
        return self._finished(functional.linear(states, weight, self.bias))

    def _finished(self, logits: Tensor) -> Tensor:
        if self.softcap is not None:
            logits = torch.tanh(logits / self.softcap) * self.softcap
        return logits if self.temperature == 1 else logits / self.temperature

    def loss(
        self,
        hidden: Tensor,
        targets: Tensor,
        *,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
        z_loss: float = 0.0,
        reduction: Reduction = "mean",
        chunk_size: int | None = None,
    ) -> Tensor:
        """Compute `F.cross_entropy(head(hidden), targets)` without the full logits.

        Args:
            hidden: (..., d) hidden states.
            targets: (...) int64 ids.
            ignore_index: As in `cross_entropy`, like the following.
            label_smoothing: The share of the target that all rows get alike.
            z_loss: The factor of the square of the logarithm of the sum of exponentials.
            reduction: "mean", "sum" or "none".
            chunk_size: Rows of logits at a time.

        Returns:
            As `cross_entropy`.
        """
        with loaded(self):  # accelerate does so for forward only
            return self._loss(
                hidden,
                targets,
                ignore_index=ignore_index,
                label_smoothing=label_smoothing,
                z_loss=z_loss,
                reduction=reduction,
                chunk_size=chunk_size,
            )

    def _loss(self, hidden: Tensor, targets: Tensor, **options: Any) -> Tensor:
        # With x = logits / T: cap · tanh(logits / cap) / T = (cap / T) · tanh(x / (cap / T)).
        weight, temperature = self._checked_weight(hidden), self.temperature
        states = self._scaled(hidden, weight)
        bias: Tensor | None = self.bias
        if temperature != 1:
            states = states / temperature
            bias = None if bias is None else bias / temperature
        softcap = None if self.softcap is None else self.softcap / temperature
        compute = cross_entropy if self.shards is None else self.shards.cross_entropy
        return cast(Tensor, compute(states, weight, targets, bias=bias, softcap=softcap, **options))

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

    def _table(self, hidden: Tensor) -> Tensor:
        """The weight (V, d) for a product with hidden states."""
        return cast(Tensor, self.weight)

    def _checked_weight(self, hidden: Tensor) -> Tensor:
        weight = self._table(hidden)
        if hidden.ndim < 1 or hidden.shape[-1] != weight.shape[1]:
            raise UsageError(
                f"hidden must have shape (..., {weight.shape[1]}), got {tuple(hidden.shape)}; if the table is "
                "narrower than the model, project first"
            )
        if self.bias is not None and len(self.bias) != len(weight):
            raise UsageError(
                f"the head has a bias of {len(self.bias)} numbers for a table of {len(weight)} rows; replace it by a "
                f"bias of {len(weight)}"
            )
        for tensor in (weight, self.bias):
            require_numbers(tensor, hidden)
        if self.shards is None and is_distributed(weight) and not is_distributed(hidden):
            raise UsageError(distributed_sentence(weight))
        return weight


class HasWeight(Protocol):
    """A module whose `weight` is a table (V, d): `TokenEmbedding`, `nn.Embedding`."""

    weight: Any


class TiedHead(_Head):
    """hidden (..., d) → logits (..., V), with the table of an embedding, which is counted once.

    The scale of the embedding (Gemma, 2017 Transformer) is not applied to the rows. With FSDP, put embedding and head
    into one unit (the root), like all shared parameters.

    If PEFT wraps the embedding, the head follows it, and reads the table that the embedding has with the active
    adapter: the copy of `modules_to_save`, the rows of `trainable_token_indices`, or the table plus the product of
    LoRA, as after merging, and as PEFT itself does with `ensure_weight_tying=True`. A table that accelerate offloads is
    loaded for each call.

    Args:
        embedding: `TokenEmbedding`, `nn.Embedding`, or any module with `weight` (V, d), one row per id. It must be in
            the model too: the head only refers to it and does not move or save it. The attribute `embedding` can be
            set to another one; `check_tied` finds a head whose embedding is no longer in the model.
        bias: Whether to add a learned bias to the logits (BERT).
        scale: Factor on the hidden states: a number, or "rsqrt" for d ** -0.5 (T5).
        softcap: Bounds the logits by `softcap · tanh(logits / softcap)` (Gemma 2: 30).
        temperature: Divides the logits last.
        device: Device of the bias; by default that of the table.
        dtype: Dtype of the bias; by default that of the table.

    Raises:
        UsageError: For an embedding without a row per id or invalid settings; in forward for another width of `hidden`,
            and for a table without numbers or with an adapter of another kind.

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
        require_table(embedding)
        table = embedding.weight.detach()
        start = table.new_zeros(len(table), device=device, dtype=dtype) if bias else None
        super().__init__(start, scale, softcap, temperature)
        self.embedding = embedding
        heads.add(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy or an unpickled head."""
        super().__setstate__(state)
        heads.add(self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Store the embedding as a plain attribute: as a submodule, its table would be twice in the state dict."""
        if name == "embedding":
            require_table(value)
            object.__setattr__(self, name, value)
        elif name == "weight":
            self._check_weight_of_embedding(value)
        else:
            super().__setattr__(name, value)

    def _check_weight_of_embedding(self, value: object) -> None:
        """Accept the table that the head reads, which transformers assigns to heads in `tie_weights()`."""
        if value is not self.embedding.weight:
            raise UsageError(
                "the weight of a tied head is that of its embedding; set head.embedding to another embedding instead"
            )

    def reset_parameters(self) -> None:
        """Set the bias to zero; the embedding initializes the table."""
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    @property
    def weight(self) -> Tensor:
        """The current table (V, d) of the embedding, with the active adapters of PEFT."""
        return table_of(self.embedding)

    def _table(self, hidden: Tensor) -> Tensor:
        if self.shards is not None and getattr(self.embedding, "row_reader", None) is not self.shards:
            raise UsageError(
                "the head got another embedding after vocabulary_parallel; set its embedding before, and call "
                "vocabulary_parallel on the model with both"
            )
        if getattr(self.embedding, "sparse", False) and torch.is_grad_enabled() and is_in_data_parallel():
            raise UsageError(
                "the table of a tied head has sparse=True, but the head gives it a dense gradient, which "
                "DistributedDataParallel does not expect; build the table with sparse=False"
            )
        return read_table(self.embedding, hidden)


class UntiedHead(_Head):
    """hidden (..., d) → logits (..., V), with a separate matrix (Llama 2 7B, Llama 3 8B, Mistral).

    The weight (V, d) is initialized from a normal distribution of standard deviation 0.02, the bias to zero.

    Args:
        embedding_dim: d.
        num_embeddings: V.
        bias: As in `TiedHead`.
        scale: As in `TiedHead`.
        softcap: As in `TiedHead`.
        temperature: As in `TiedHead`.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below 1 or invalid settings; in forward for another width of `hidden`.

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
        """Initialize the weight again and set the bias to zero.

        Args:
            generator: Random generator; by default PyTorch's.
        """
        init_rows_(self.weight, "normal", generator=generator)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

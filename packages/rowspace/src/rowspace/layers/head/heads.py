"""Hidden states → logits, with the embedding table (tied) or with a separate matrix (untied).

A tied head has no copy of the table: it reads `embedding.weight` at each call. The tie therefore survives deepcopy,
pickling, `.to(...)`, loading and sharding; the state dict contains the table once, and safetensors can save it.
"""

from typing import Any, Protocol

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_in_data_parallel
from rowspace.layers.arguments import Device
from rowspace.layers.head.base_head import Head, Scale
from rowspace.layers.head.wrapping import readers, require_table
from rowspace.layers.tables.factorized import FactorizedEmbedding
from rowspace.layers.tables.init import init_rows_
from rowspace.layers.tables.wrapped import loaded, read_table, require_numbers, table_of

__all__ = ["TiedHead", "UntiedHead"]


class HasWeight(Protocol):
    """A module whose `weight` is a table (V, d): `TokenEmbedding`, `nn.Embedding`."""

    weight: Any


class TiedHead(Head):
    """hidden (..., d) → logits (..., V), with the table of an embedding, which is counted once.

    The scale of the embedding (Gemma, 2017 Transformer) is not applied to the rows. With FSDP, put embedding and head
    into one unit (the root), like all shared parameters.

    If PEFT wraps the embedding, the head follows it, and reads the table that the embedding has with the active
    adapter: the copy of `modules_to_save`, the rows of `trainable_token_indices`, or the table plus the product of
    LoRA, as after merging, and as PEFT itself does with `ensure_weight_tying=True`. A table that accelerate offloads is
    loaded for each call.

    Args:
        embedding: `TokenEmbedding`, `nn.Embedding`, or any module with `weight` (V, d), one row per id; of
            `TrainableRows`, `LoraTable` and `QuantizedEmbedding` the rows are computed for each call. It must be in the
            model too: the head only refers to it and does not move or save it. The attribute `embedding` can be
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
        table = embedding.weight.detach() if bias else None
        start = None if table is None else table.new_zeros(len(table), device=device, dtype=dtype)
        super().__init__(start, scale, softcap, temperature)
        self.embedding = embedding
        readers.add(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Of a copy or an unpickled head."""
        super().__setstate__(state)
        readers.add(self)

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

    def _operands(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        if not isinstance(self.embedding, FactorizedEmbedding):
            return super()._operands(hidden)
        self._check_hidden(hidden, len(self.embedding.table.weight), self.embedding.embedding_dim)
        with loaded(self.embedding):
            for tensor in (self.embedding.table.weight, self.bias):
                require_numbers(tensor, hidden)
            return self.embedding.product_operands(self._scaled(hidden, self.embedding.embedding_dim))

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


class UntiedHead(Head):
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

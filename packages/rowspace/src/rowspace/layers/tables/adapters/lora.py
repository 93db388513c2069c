"""A table plus a product of two narrow matrices that learn: `LoraTable`; and what all adapters need of their table."""

import math

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.matryoshka import MatryoshkaEmbedding
from rowspace.layers.tables.multi_hot import MultiHotEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding, scaled
from rowspace.layers.tables.wrapped import PartlyLearned

__all__ = ["LoraTable", "check_table", "frozen_rows", "require_loaded", "scaled_as"]


class LoraTable(PartlyLearned):
    """ids (...) → (..., d): row `table[id] + alpha / rank · A[id] @ B`, where only A (V, rank) and B (rank, d) learn.

    A starts with zeros, so that the module starts as the table. With `sparse=True` the gradient of A is sparse, and
    `DeferredAdamW` updates only the rows of A in use.

    Source: Hu et al. 2021 (LoRA), for embeddings as in PEFT: A is the transpose of `lora_embedding_A`, B of
    `lora_embedding_B`.

    Args:
        table: `TokenEmbedding` or `nn.Embedding`; its weight is frozen.
        rank: Columns of A.
        alpha: Scale of the product; by default `rank`, so that the factor is 1.
        sparse: Whether the gradient of A is sparse.

    Raises:
        UsageError: If `rank` is not positive, or for another kind of table.

    >>> table = nn.Embedding(1000, 64)
    >>> module = LoraTable(table, rank=2)
    >>> module(torch.tensor([3])).equal(table(torch.tensor([3])))
    True
    """

    def __init__(self, table: nn.Embedding, rank: int, *, alpha: float | None = None, sparse: bool = False) -> None:
        super().__init__()
        if rank < 1:
            raise UsageError(f"rank must be at least 1, not {rank}")
        check_table(table)
        self.table = table
        self.table.weight.requires_grad_(False)
        self.factor = (rank if alpha is None else alpha) / rank
        zeros = table.weight.new_zeros(table.num_embeddings, rank)
        self.rows = nn.Embedding.from_pretrained(zeros, freeze=False, padding_idx=table.padding_idx, sparse=sparse)
        self.columns = nn.Parameter(table.weight.new_empty(rank, table.embedding_dim))
        nn.init.normal_(self.columns, std=1 / math.sqrt(rank))

    @property
    def weight(self) -> Tensor:
        """The sum (V, d), a new tensor; a `TiedHead` reads it."""
        total: Tensor = self.table.weight + self.factor * (self.rows.weight @ self.columns)
        return total

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d)."""
        frozen = frozen_rows(self.table, ids, self.rows.num_embeddings)
        return frozen + scaled_as(self.table, self.factor * (self.rows(ids) @ self.columns))

    @torch.no_grad()
    def merged_rows(self) -> Tensor:
        """The rows of the sum (V, d), computed in float64 and rounded once; unchanged where A is zero."""
        weight = self.table.weight
        pieces = []
        for first in range(0, len(weight), 4096):
            rows, values = self.rows.weight[first : first + 4096], weight[first : first + 4096]
            product = self.factor * (rows.double() @ self.columns.double())
            moved = rows.any(1, keepdim=True)
            pieces.append(torch.where(moved, (values.double() + product).to(weight.dtype), values))
        return torch.cat(pieces)

    @torch.no_grad()
    def merge(self) -> nn.Embedding:
        """Add the product to the table and set A to zero.

        After steps of a deferred optimizer, call its `flush()` before.

        Returns:
            The table, which gives the rows that this module gave, up to the rounding of one number.

        Raises:
            UsageError: If accelerate has offloaded the module.
        """
        require_loaded(*self.parameters())
        self.table.weight.copy_(self.merged_rows())
        self.rows.weight.zero_()
        return self.table


def check_table(table: nn.Module) -> None:
    """Raise `UsageError` unless the table gives the rows of its weight, times its scale."""
    if not isinstance(table, nn.Embedding) or isinstance(table, MatryoshkaEmbedding | MultiHotEmbedding):
        raise UsageError(f"table must be a TokenEmbedding or an nn.Embedding, not {type(table).__name__}")
    if table.max_norm is not None:
        raise UsageError("table has a max_norm, so that its forward changes rows; use a TokenEmbedding")


def require_loaded(*tensors: Tensor) -> None:
    """Raise `UsageError` for tensors that are on the meta device, as those that accelerate offloads."""
    if any(tensor.is_meta for tensor in tensors):
        raise UsageError("the rows are on the meta device; load them, or remove the hooks of accelerate, before this")


def frozen_rows(table: nn.Embedding, ids: Tensor, size: int) -> Tensor:
    """Ids (...) → the rows of the table (..., d), by a call, so that hooks run; the table must still have its size."""
    if table.num_embeddings != size:
        raise UsageError(
            f"the table has {table.num_embeddings} rows now, and had {size} when TrainableRows or LoraTable was put on "
            "it; resize a table first"
        )
    if not isinstance(table, TokenEmbedding) and not torch.compiler.is_compiling():
        check_ids(ids, table.num_embeddings)
    rows: Tensor = table(ids)
    return rows


def scaled_as(table: nn.Embedding, rows: Tensor) -> Tensor:
    """Rows (..., d) times the scale of the table: a `TokenEmbedding`, or one of transformers with `embed_scale`."""
    if isinstance(table, TokenEmbedding):
        return scaled(rows, table.scale)
    scale = getattr(table, "embed_scale", None)
    if scale is None:
        return rows
    return rows * (scale.to(rows.dtype) if isinstance(scale, Tensor) else scale)

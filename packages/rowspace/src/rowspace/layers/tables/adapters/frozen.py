"""The frozen table of a module of which a part learns."""

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.matryoshka import MatryoshkaEmbedding
from rowspace.layers.tables.token_embedding import TokenEmbedding, scaled

__all__ = ["check_table", "frozen_rows", "require_loaded", "scaled_as"]


def check_table(table: nn.Module) -> None:
    """Raise `UsageError` unless the table gives the rows of its weight, times its scale."""
    if not isinstance(table, nn.Embedding) or isinstance(table, MatryoshkaEmbedding):
        raise UsageError(f"table must be a TokenEmbedding or an nn.Embedding, not {type(table).__name__}")
    if table.max_norm is not None:
        raise UsageError("table has a max_norm, so that its forward changes rows; use a TokenEmbedding")


def require_loaded(*tensors: Tensor) -> None:
    """Raise `UsageError` for tensors that are on the meta device, as those that accelerate offloads."""
    if any(tensor.is_meta for tensor in tensors):
        raise UsageError("the rows are on the meta device; load them, or remove the hooks of accelerate, before this")


def frozen_rows(table: nn.Embedding, ids: Tensor) -> Tensor:
    """Ids (...) → the rows of the table (..., d), by a call, so that hooks of the table run."""
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

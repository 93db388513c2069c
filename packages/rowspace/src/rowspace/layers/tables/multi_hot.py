"""The weighted sum of the rows of several ids at once: `MultiHotEmbedding`."""

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers._torch_private import is_transform_active
from rowspace.layers.arguments import Device
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.init import Init
from rowspace.layers.tables.lookup import lookup
from rowspace.layers.tables.token_embedding import TokenEmbedding, scaled

__all__ = ["MultiHotEmbedding"]

Mode = Literal["sum", "mean"]


class MultiHotEmbedding(TokenEmbedding):
    """ids (..., n) → (..., d): the sum or mean of the rows of n ids, such as the genres of a film, times weights.

    The rows are added as they are read, and never stored. Padding does not count; the sum of padding is zero.

    Source: torch's `nn.EmbeddingBag`, which takes one dimension of bags.

    Args:
        num_embeddings: V.
        embedding_dim: d.
        padding_idx: The id of places that are not used.
        mode: "sum", or "mean" over the ids other than padding; with weights, the sum divided by that of the weights.
        sparse: As in `TokenEmbedding`.
        init: As in `TokenEmbedding`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: For a size below 1 or another mode; in forward for an id out of range, or weights of another shape.

    >>> genres = MultiHotEmbedding(20, 8, padding_idx=0)
    >>> genres(torch.tensor([[3, 5, 0], [7, 0, 0]]), torch.tensor([[0.5, 2.0, 1.0], [1.0, 1.0, 1.0]])).shape
    torch.Size([2, 8])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        mode: Mode = "sum",
        sparse: bool = False,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        if mode not in ("sum", "mean"):
            raise UsageError(f'mode must be "sum" or "mean", got {mode!r}')
        super().__init__(
            num_embeddings, embedding_dim, padding_idx, sparse=sparse, init=init, device=device, dtype=dtype
        )
        self.mode = mode

    def forward(self, ids: Tensor, weights: Tensor | None = None) -> Tensor:
        """Ids (..., n), weights (..., n) → (..., d)."""
        if self.row_reader is not None:
            raise UsageError("a MultiHotEmbedding cannot be split over processes; keep it whole in each")
        check_ids(ids, self.num_embeddings)
        if ids.dim() < 1 or (weights is not None and weights.shape != ids.shape):
            given = None if weights is None else tuple(weights.shape)
            raise UsageError(f"ids and weights must have one shape (..., n), got {tuple(ids.shape)} and {given}")
        flat = ids.unsqueeze(0).flatten(0, -2)
        factors = None if weights is None else weights.to(self.weight.dtype).reshape(flat.shape)
        # flat, factors: (bags, n)
        sums = self._sums(flat, factors)
        if self.mode == "mean":
            used = torch.ones_like(flat) if self.padding_idx is None else (flat != self.padding_idx).long()
            total = used.to(sums.dtype).sum(1) if factors is None else (factors * used).sum(1)
            sums = sums / torch.where(total == 0, 1, total).unsqueeze(1)
        return scaled(sums, self.scale).reshape(*ids.shape[:-1], sums.shape[1])

    def _sums(self, ids: Tensor, factors: Tensor | None) -> Tensor:
        """The sums of the rows of ids (bags, n) times their factors (bags, n): (bags, d)."""
        padding = self.padding_idx
        if ids.shape[1] and not is_transform_active():
            return functional.embedding_bag(
                ids, self.weight, mode="sum", sparse=self.sparse, per_sample_weights=factors, padding_idx=padding
            )
        # torch has no bags without ids, and torch.func no rule for bags, so the rows are stored here.
        used = torch.ones_like(ids, dtype=self.weight.dtype) if padding is None else (ids != padding).to(self.weight)
        factors = used if factors is None else factors * used
        return (lookup(ids, self.weight, padding_idx=padding, sparse=self.sparse) * factors.unsqueeze(-1)).sum(1)

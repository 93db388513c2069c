"""Wide rows for frequent ids, narrow rows for rare ones: `AdaptiveEmbedding`.

Approximates a table (V, d) whose ids are sorted from frequent to rare: the rows of cluster i span d/factor^i
dimensions. The softmax over the same clusters is `torch.nn.AdaptiveLogSoftmaxWithLoss`.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import cast

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, Factory, require_positive, row_index
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.token_embedding import Scale, TokenEmbedding, checked_scale, scaled


class AdaptiveEmbedding(CountedModule):
    """ids (...) → (..., d): a row of its cluster's table, projected to d, times `scale`.

    Cluster i has the ids from `cutoffs[i - 1]` (or 0) up to `cutoffs[i]` (or V), in a table of d // factor^i columns,
    with its own projection without bias (the first cluster too, whose rows have d columns). All clusters are computed
    for all ids, and one result is selected: with factor 4 that is at most 4/3 of the work of the widest. Shapes do not
    depend on the ids, so the module compiles.

    Source: Baevski and Auli 2018; with `scale="sqrt"`, Transformer-XL (Dai et al. 2019).

    Args:
        num_embeddings: V, the number of ids, sorted from frequent to rare.
        embedding_dim: d.
        cutoffs: First id of each cluster after the first, increasing.
        factor: How many times narrower each cluster is than the one before.
        padding_idx: As in `TokenEmbedding`.
        scale: As in `TokenEmbedding`.
        sparse: Whether the gradients of all tables are sparse, as in `TokenEmbedding`. Ids of other clusters count as
            the first row of a table.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For cutoffs that do not increase or are too many for d; in forward for an id out of range.

    >>> embedding = AdaptiveEmbedding(10_000, 64, cutoffs=[1000, 4000])
    >>> embedding(torch.tensor([[5, 2000, 9999]])).shape
    torch.Size([1, 3, 64])
    >>> embedding.num_parameters  # 1000·64 + 3000·16 + 6000·4 in tables, 64·(64 + 16 + 4) in projections
    141376
    """

    def __init__(  # noqa: PLR0913  sizes, options of the table, and those of every module
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        cutoffs: Sequence[int],
        factor: int = 4,
        padding_idx: int | None = None,
        scale: Scale = None,
        sparse: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim, factor=factor)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.scale = checked_scale(scale)
        self.bounds = _bounds(cutoffs, num_embeddings)
        padding_idx = row_index(padding_idx, num_embeddings)
        self.tables = nn.ModuleList()
        self.projections = nn.ModuleList()
        for cluster, (start, end) in enumerate(self.bounds):
            width = embedding_dim // factor**cluster
            if width < 1:
                raise UsageError(
                    f"cutoffs define {len(self.bounds)} clusters, too many to divide {embedding_dim} by {factor} for "
                    "each"
                )
            padding = padding_idx - start if padding_idx is not None and start <= padding_idx < end else None
            options: Factory = {"device": device, "dtype": dtype}
            table = TokenEmbedding(end - start, width, padding, sparse=sparse, init="inverse_sqrt", **options)
            self.tables.append(table)
            self.projections.append(_Projection(width, embedding_dim, bias=False, **options))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize as fairseq does: rows with standard deviation 1/√width, projections by Xavier."""
        for table, projection in zip(self.tables, self.projections, strict=True):
            cast(TokenEmbedding, table).reset_parameters()
            cast(_Projection, projection).reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        check_ids(ids, self.num_embeddings)
        ids = ids.long()  # an int32 cannot be compared with a cutoff beyond it
        rows = self._cluster(0, ids, ids < self.bounds[0][1])
        for cluster in range(1, len(self.bounds)):
            inside = ids >= self.bounds[cluster][0]  # of this cluster or a later one, which overwrites it
            rows = torch.where(inside.unsqueeze(-1), self._cluster(cluster, ids, inside), rows)
        return scaled(rows, self.scale)

    def _cluster(self, cluster: int, ids: Tensor, inside: Tensor) -> Tensor:
        """The result of one cluster (..., d); ids outside of it read its first row."""
        start, end = self.bounds[cluster]
        if cluster + 1 < len(self.bounds):
            inside = inside & (ids < end)
        local = torch.where(inside, ids - start, 0)
        rows: Tensor = self.projections[cluster](self.tables[cluster](local))
        return rows


class _Projection(nn.Linear):
    """A linear map with fairseq's initialization, also when `reset_parameters` is called on it alone."""

    def reset_parameters(self) -> None:
        """Initialize by Xavier."""
        nn.init.xavier_uniform_(self.weight)


def _bounds(cutoffs: Sequence[int], num_embeddings: int) -> list[tuple[int, int]]:
    """First id and end of each cluster."""
    ends = [0, *cutoffs, num_embeddings]
    if any(end <= start for start, end in pairwise(ends)):
        raise UsageError(f"cutoffs must increase between 0 and the {num_embeddings} ids, not {list(cutoffs)}")
    return list(pairwise(ends))

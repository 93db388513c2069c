"""A table whose leading columns can be used alone: `MatryoshkaEmbedding`, `truncate`.

Approximates rows (V, d) by their first m columns; useful only if the table was trained with a loss at several m.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device
from rowspace.layers.tables.init import Init
from rowspace.layers.tables.lookup import lookup
from rowspace.layers.tables.token_embedding import TokenEmbedding


class MatryoshkaEmbedding(TokenEmbedding):
    """ids (...) → (..., m): the first m columns of a row of a table (V, d), with norm 1 if `normalize`.

    `dim` can be set at any time, to train one table at several m; the columns beyond it are not read and get no
    gradient.

    Source: Kusupati et al. 2022, "Matryoshka Representation Learning".

    Args:
        num_embeddings: V.
        embedding_dim: d.
        dim: m, by default d.
        normalize: Divide each result by its norm.
        padding_idx: As in `TokenEmbedding`.
        init: As in `TokenEmbedding`.
        device: Device of the weight.
        dtype: Dtype of the weight.

    Raises:
        UsageError: Unless 1 <= `dim` <= d; in forward for an id out of range.

    >>> embedding = MatryoshkaEmbedding(100, 768)
    >>> embedding.dim = 64
    >>> embedding(torch.tensor([[3, 1]])).shape, embedding.truncated().weight.shape
    (torch.Size([1, 2, 64]), torch.Size([100, 64]))
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        dim: int | None = None,
        normalize: bool = False,
        padding_idx: int | None = None,
        init: Init = "normal",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, padding_idx=padding_idx, init=init, device=device, dtype=dtype)
        self.normalize = normalize
        self.dim = embedding_dim if dim is None else dim

    @property
    def dim(self) -> int:
        """Number of leading columns that are read."""
        return self._dim

    @dim.setter
    def dim(self, dim: int) -> None:
        """Check and set the number of columns."""
        self._dim = _checked(dim, self.embedding_dim)

    @property
    def embed_scale(self) -> None:
        """None, the scale; raises `UsageError` if PEFT, which reads it, would compute rows of another form."""
        if self.dim < self.embedding_dim or self.normalize:
            raise UsageError(
                f"PEFT computes rows of {self.embedding_dim} columns itself, without cutting them to dim={self.dim} or "
                "normalizing them; use modules_to_save, or set dim to embedding_dim and normalize to False"
            )

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., m)."""
        rows = lookup(ids, self.weight[:, : self.dim], padding_idx=self.padding_idx)
        return truncate(rows, self.dim, normalize=self.normalize)

    @torch.no_grad()
    def truncated(self) -> "MatryoshkaEmbedding":
        """Return a copy with only the leading columns: V·m parameters instead of V·d."""
        smaller = MatryoshkaEmbedding(
            self.num_embeddings, self.dim, normalize=self.normalize, padding_idx=self.padding_idx, init=self.init
        )
        columns = self.weight[:, : self.dim].clone(memory_format=torch.contiguous_format)
        smaller.weight = nn.Parameter(columns, requires_grad=self.weight.requires_grad)
        return smaller.train(self.training)


def truncate(vectors: Tensor, dim: int, *, normalize: bool = False) -> Tensor:
    """Vectors (..., d) → the first `dim` columns (..., dim), with norm 1 if `normalize`; zeros stay zeros.

    Args:
        vectors: (..., d) floating.
        dim: Number of columns.
        normalize: Divide by the norm, computed in float32 or more; needed for dot products, not for cosines.

    Returns:
        (..., dim) in the dtype of `vectors`; a view unless normalized.

    Raises:
        UsageError: Unless 1 <= `dim` <= d.

    >>> truncate(torch.tensor([3.0, 4.0, 12.0]), 2, normalize=True)
    tensor([0.6000, 0.8000])
    """
    columns = vectors[..., : _checked(dim, vectors.shape[-1])]
    if not normalize:
        return columns
    wide = columns.to(torch.promote_types(columns.dtype, torch.float32))
    return functional.normalize(wide, dim=-1).to(columns.dtype)


def _checked(dim: int, embedding_dim: int) -> int:
    """Return `dim`, or raise `UsageError` if there are not that many columns."""
    if not 1 <= dim <= embedding_dim:
        raise UsageError(f"dim must be from 1 to {embedding_dim}, the number of columns, not {dim}")
    return dim

"""A narrow table and one projection for all its rows: `FactorizedEmbedding`.

Approximates a table (V, d) by a product (V, e) @ (e, d) of rank e. ALBERT has a LayerNorm between the two, which its
recipe adds.
"""

import torch
from torch import Tensor, nn

from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.tables.init import Init
from rowspace.layers.tables.token_embedding import TokenEmbedding


class FactorizedEmbedding(CountedModule):
    """ids (...) → (..., d): a row of a table (V, e), then a linear map from e to d.

    It has V·e + e·d parameters, and d more for the bias, instead of V·d.

    Source: Lan et al. 2019 (ALBERT), section 3.1.

    Args:
        num_embeddings: V.
        embedding_dim: d.
        inner_dim: e, the dimension of the table.
        padding_idx: Padding row of the table; after the projection it equals the bias.
        init: Initialization of the table, see `init_rows_`.
        bias: Whether the projection has a bias.
        sparse: Whether the gradient of the table is sparse, as in `TokenEmbedding`.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below 1; in forward for an id out of range.

    >>> import torch
    >>> embedding = FactorizedEmbedding(30_000, 768, inner_dim=128)
    >>> embedding(torch.tensor([[1, 2]])).shape
    torch.Size([1, 2, 768])
    >>> embedding.num_parameters, 30_000 * 768
    (3939072, 23040000)
    """

    def __init__(  # noqa: PLR0913  sizes, options of the table, and those of every module
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        inner_dim: int,
        padding_idx: int | None = None,
        init: Init = "normal",
        bias: bool = True,
        sparse: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(embedding_dim=embedding_dim, inner_dim=inner_dim)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.table = TokenEmbedding(
            num_embeddings, inner_dim, padding_idx, sparse=sparse, init=init, device=device, dtype=dtype
        )
        self.projection = nn.Linear(inner_dim, embedding_dim, bias=bias, device=device, dtype=dtype)

    @property
    def weight(self) -> Tensor:
        """All rows (V, d) after the projection, a new tensor."""
        rows: Tensor = self.projection(self.table.weight)
        return rows

    def product_operands(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Two tensors with the product `states @ self.weight.T`, without the rows after the projection.

        Args:
            states: (..., d).

        Returns:
            (..., e) and the table (V, e); with a bias of the projection, both have one more column.
        """
        narrow, rows = states @ self.projection.weight, self.table.weight
        if self.projection.bias is None:
            return narrow, rows
        constant = states @ self.projection.bias.unsqueeze(1)
        return torch.cat([narrow, constant], -1), torch.cat([rows, rows.new_ones(len(rows), 1)], 1)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        rows: Tensor = self.projection(self.table(ids))
        return rows

"""Distinct rows for all ids with fewer parameters: `FactorizedEmbedding`, `QuotientRemainderEmbedding`."""

import math
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import Device, require_positive
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.tables.gather import check_ids
from rowspace.layers.tables.init import Init
from rowspace.layers.tables.token_embedding import TokenEmbedding


class FactorizedEmbedding(CountedModule):
    """ids (...) → (..., d): a row of a table (V, e), then a linear map from e to d.

    Approximates a table (V, d) by a product (V, e) @ (e, d) of rank e. ALBERT has a LayerNorm between the two, which
    its recipe adds.

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


class QuotientRemainderEmbedding(CountedModule):
    """ids (...) → (..., d): row `id // m` of one table and row `id % m` of another, multiplied or added.

    Approximates a table (V, d): ids with the same quotient or the same remainder share a factor. No two ids share both,
    so each id has a distinct row, which hashing does not guarantee.

    It has (⌈V/m⌉ + m)·d parameters instead of V·d. Both tables are initialized so that the result has a standard
    deviation of 0.02.

    Source: Shi et al. 2019, "Compositional Embeddings Using Complementary Partitions", section 3.

    Args:
        num_embeddings: V.
        embedding_dim: d.
        num_remainders: m, by default ⌈√V⌉, for the fewest parameters.
        combine: "product" or "sum".
        sparse: Whether the gradients of both tables are sparse, as in `TokenEmbedding`.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Raises:
        UsageError: For a size below 1 or another `combine`; in forward for an id out of range.

    >>> embedding = QuotientRemainderEmbedding(1_000_000, 16)
    >>> embedding(torch.tensor([[0, 999_999]])).shape
    torch.Size([1, 2, 16])
    >>> embedding.num_parameters, 1_000_000 * 16
    (32000, 16000000)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        num_remainders: int | None = None,
        combine: Literal["product", "sum"] = "product",
        sparse: bool = False,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        if combine not in ("product", "sum"):
            raise UsageError(f"combine must be 'product' or 'sum', not {combine!r}")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.num_remainders = math.isqrt(num_embeddings - 1) + 1 if num_remainders is None else num_remainders
        require_positive(num_remainders=self.num_remainders)
        self.combine = combine
        # Standard deviations of factors multiply, variances of summands add.
        deviation = 0.02**0.5 if combine == "product" else 0.02 * 0.5**0.5
        options: dict[str, Any] = {"init": partial(nn.init.normal_, std=deviation), "sparse": sparse}
        options |= {"device": device, "dtype": dtype}
        self.quotients = TokenEmbedding(-(-num_embeddings // self.num_remainders), embedding_dim, **options)
        self.remainders = TokenEmbedding(self.num_remainders, embedding_dim, **options)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize both tables again."""
        for table in (self.quotients, self.remainders):
            table.reset_parameters()

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → (..., d)."""
        check_ids(ids, self.num_embeddings)
        ids = ids.long()  # an int32 cannot be compared with a number of rows beyond it
        quotient: Tensor = self.quotients(ids.div(self.num_remainders, rounding_mode="floor"))
        # In a graph, where ids cannot be read, ids of V and more are passed on unchanged, so that this gather raises.
        remainders = torch.where(ids < self.num_embeddings, ids.remainder(self.num_remainders), ids)
        remainder: Tensor = self.remainders(remainders)
        return quotient * remainder if self.combine == "product" else quotient + remainder

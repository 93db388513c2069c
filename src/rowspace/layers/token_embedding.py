"""A table of learned rows, looked up by id: `TokenEmbedding`.

Not here: how rows are read and their gradient summed (`lookup.py`), bounds on the norm of rows (`constraints.py`),
smaller tables (`factorised.py`, `adaptive.py`, `quotient_remainder.py`, `hashed.py`, `quantized.py`,
`matryoshka.py`). Read next: `lookup.py`.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.arguments import require_positive, row_index
from rowspace.layers.constraints import Constraint
from rowspace.layers.initial import Initial, fill
from rowspace.layers.lookup import lookup
from rowspace.layers.sizes import Sized

Scale = float | Literal["sqrt", "rounded_sqrt"] | None


class TokenEmbedding(Sized):
    """ids (...) int32 or int64 → (..., d): row `weight[id]` of a table (V, d), times `scale`.

    - `padding_idx`: this row begins at zero and gets no gradient.
    - `scale`: `None`, a number, `"sqrt"` for √d (2017 Transformer), or `"rounded_sqrt"` for √d first rounded to the
      weight's dtype (Gemma: in bfloat16 √3072 = 55.43 is 55.5). `weight` stays unscaled, as a tied head needs it.
    - `init`: see `initial.fill`. `sparse`: see `lookup`.
    - `constraint`: a bound on the rows' norms, applied after the optimizer's step: see `constraints.constrain`.

    Raises `UsageError` for an id out of range, naming it and its place.
    Source: Bengio et al. 2003; the scale from Vaswani et al. 2017, section 3.4, and Google's release of Gemma (2024).

    >>> embedding = TokenEmbedding(10, 4, padding_idx=0, scale="sqrt")
    >>> embedding(torch.tensor([[3, 1, 0]])).shape
    torch.Size([1, 3, 4])
    >>> embedding.num_parameters, embedding.bytes
    (40, 160)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        padding_idx: int | None = None,
        scale: Scale = None,
        init: Initial = "normal",
        sparse: bool = False,
        constraint: Constraint | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = row_index(padding_idx, num_embeddings)
        self.scale = checked_scale(scale)
        self.init = init
        self.sparse = sparse
        self.constraint = constraint
        self.weight = nn.Parameter(torch.empty(num_embeddings, embedding_dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin anew: rows from `init`, the padding row zero."""
        fill(self.weight, self.init, padding_idx=self.padding_idx)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (...) → rows (..., d), in the dtype of the table."""
        rows = lookup(ids, self.weight, padding_idx=self.padding_idx, sparse=self.sparse)
        return scaled(rows, self.scale)

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        shown = {"padding_idx": self.padding_idx, "scale": self.scale, "constraint": self.constraint}
        options = [f"{name}={value!r}" for name, value in shown.items() if value is not None]
        return ", ".join([str(self.num_embeddings), str(self.embedding_dim), *options])


def checked_scale(scale: Scale) -> Scale:
    """The scale, or a `UsageError` that says which there are."""
    if isinstance(scale, str) and scale not in ("sqrt", "rounded_sqrt"):
        raise UsageError(f"scale must be a number, 'sqrt', 'rounded_sqrt' or None, not {scale!r}")
    return scale


def scaled(rows: Tensor, scale: Scale) -> Tensor:
    """Fresh rows (..., d) times the scale, in place: a second copy would cost as much as the lookup.

    >>> scaled(torch.ones(4), "sqrt")
    tensor([2., 2., 2., 2.])
    """
    if scale is None:
        return rows
    if not isinstance(scale, str):
        return rows.mul_(scale)
    root = math.sqrt(rows.shape[-1])
    if scale == "sqrt":
        return rows.mul_(root)
    return rows.mul_(torch.full((), root, dtype=rows.dtype, device=rows.device))

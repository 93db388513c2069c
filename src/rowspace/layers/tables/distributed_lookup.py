"""A table that is distributed over processes (a `DTensor`), as tensor parallelism by rows or by columns makes it.

Each process sums the part of the gradient that belongs to its part of the table.
"""

import sys
from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

_PLAIN = (Tensor, nn.Parameter)


def is_distributed(tensor: Tensor) -> bool:
    """Whether the tensor is a `DTensor`; `torch.distributed.tensor`, which is slow to import, is not imported for it.

    >>> import torch
    >>> is_distributed(torch.zeros(2))
    False
    """
    if type(tensor) in _PLAIN or "torch.distributed.tensor" not in sys.modules:
        return False
    from torch.distributed.tensor import DTensor  # noqa: PLC0415

    return isinstance(tensor, DTensor)


def first_local_row(table: "DTensor") -> int:
    """The row of the whole table (V, ...) at which the part of this process begins."""
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset  # noqa: PLC0415

    return compute_local_shape_and_global_offset(table.shape, table.device_mesh, table.placements)[1][0]


def local_part(ids: "DTensor", grad: "DTensor", table: "DTensor") -> tuple[Tensor, Tensor]:
    """The ids (n,) that fall on this process's rows, counted from its first, and their gradient (n, its columns)."""
    from torch.distributed.tensor import Replicate, Shard  # noqa: PLC0415

    by_column = [Shard(grad.ndim - 1) if place == Shard(1) else Replicate() for place in table.placements]
    gradient = grad.redistribute(table.device_mesh, by_column).to_local().flatten(0, -2)
    local_ids = ids.full_tensor().reshape(-1) - first_local_row(table)
    here = (local_ids >= 0) & (local_ids < table.to_local().shape[0])
    return local_ids[here], gradient[here]


def placed_as(local: Tensor, table: "DTensor") -> "DTensor":
    """The parts (V/n, ...) of all processes as one distributed tensor (V, ...), placed as `table` is."""
    from torch.distributed.tensor import DTensor  # noqa: PLC0415

    return DTensor.from_local(local, table.device_mesh, table.placements, shape=table.shape, stride=table.stride())


def zero_row(table: Tensor, row: int) -> None:
    """Set one row of a table (V, d), distributed or not, to zero, in place.

    >>> import torch
    >>> table = torch.ones(2, 3)
    >>> zero_row(table, 0)
    >>> table
    tensor([[0., 0., 0.],
            [1., 1., 1.]])
    """
    if not is_distributed(table):
        table[row] = 0
        return
    local, row = table.to_local(), row - first_local_row(table)  # type: ignore[attr-defined, arg-type]
    if 0 <= row < len(local):
        local[row] = 0

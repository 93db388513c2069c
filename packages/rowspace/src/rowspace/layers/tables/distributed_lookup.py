"""A table distributed over processes (a `DTensor`), by rows or by columns, as in tensor parallelism.

Each process sums the gradient of its shard of the table.
"""

import sys
from typing import TYPE_CHECKING, cast

from torch import Tensor, nn

from rowspace.layers._torch_private import first_local_row

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

_PLAIN = (Tensor, nn.Parameter)


def is_distributed(tensor: Tensor) -> bool:
    """Whether the tensor is a `DTensor`; does not import `torch.distributed.tensor`, which is slow.

    >>> import torch
    >>> is_distributed(torch.zeros(2))
    False
    """
    if type(tensor) in _PLAIN or "torch.distributed.tensor" not in sys.modules:
        return False
    from torch.distributed.tensor import DTensor

    return isinstance(tensor, DTensor)


def local_tensor(tensor: Tensor) -> Tensor:
    """The part of a `DTensor` in this process, which shares its memory."""
    return cast("DTensor", tensor).to_local()


def full_tensor(tensor: Tensor) -> Tensor:
    """All of a `DTensor`, in each process."""
    return cast("DTensor", tensor).full_tensor()


def local_part(ids: "DTensor", grad: "DTensor", table: "DTensor") -> tuple[Tensor, Tensor]:
    """The ids (n,) in this process's shard, relative to its first row, and their gradient (n, local columns)."""
    from torch.distributed.tensor import Replicate, Shard

    by_column = [Shard(grad.ndim - 1) if place == Shard(1) else Replicate() for place in table.placements]
    gradient = grad.redistribute(table.device_mesh, by_column).to_local().flatten(0, -2)
    local_ids = ids.full_tensor().reshape(-1) - first_local_row(table)
    is_local = (local_ids >= 0) & (local_ids < table.to_local().shape[0])
    return local_ids[is_local], gradient[is_local]


def placed_as(local: Tensor, table: "DTensor") -> "DTensor":
    """The shards (V/n, ...) of all processes as one distributed tensor (V, ...), with the placements of `table`."""
    from torch.distributed.tensor import DTensor

    return DTensor.from_local(local, table.device_mesh, table.placements, shape=table.shape, stride=table.stride())


def zero_row(table: Tensor, row: int) -> None:
    """Set one row of a table (V, d), distributed or not, to zero in place.

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
    distributed = cast("DTensor", table)
    local, row = distributed.to_local(), row - first_local_row(distributed)
    if 0 <= row < len(local):
        local[row] = 0


def distributed_sentence(tensor: Tensor) -> str:
    """The message for a head or a loss that meets a tensor of which each process has a part."""
    distributed = cast("DTensor", tensor)
    return (
        f"a tensor of shape {list(distributed.shape)} is distributed over processes ({list(distributed.placements)} on "
        f"{distributed.device_mesh}), so a head or loss must be told what the processes share: to split a vocabulary, "
        "call rowspace.layers.vocabulary_parallel(model, mesh) instead of RowwiseParallel, and head.loss; with "
        "fully_shard, put table and head into one unit (the root), or use reshard_after_forward=False for the table"
    )

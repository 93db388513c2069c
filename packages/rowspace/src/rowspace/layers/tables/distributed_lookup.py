"""A table distributed over processes (a `DTensor`), by rows or by columns, as in tensor parallelism.

Each process sums the gradient of its shard of the table.
"""

from typing import TYPE_CHECKING, cast

import torch
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
    return type(tensor) not in _PLAIN and hasattr(tensor, "device_mesh")  # torch.compile cannot trace the import


def local_tensor(tensor: Tensor) -> Tensor:
    """The part of a `DTensor` in this process, which shares its memory."""
    return cast("DTensor", tensor).to_local()


def first_row_of(table: Tensor) -> int:
    """The index of the first row of this process's part, computed in a way that torch.compile can trace."""
    distributed = cast("DTensor", table)
    split = [number for number, place in enumerate(distributed.placements) if place.is_shard(0)]
    if len(split) > 1 or any(type(place).__name__ == "_StridedShard" for place in distributed.placements):
        return first_local_row(distributed)
    if not split:
        return 0
    mesh = distributed.device_mesh
    return min(mesh.get_local_rank(split[0]) * -(-table.shape[0] // mesh.size(split[0])), table.shape[0])


def is_replicated(tensor: Tensor) -> bool:
    """Whether each process has all of a `DTensor`."""
    return all(place.is_replicate() for place in cast("DTensor", tensor).placements)


def rows_from_parts(rows: Tensor, ids: Tensor, table: Tensor) -> Tensor:
    """The rows (..., d) of which each process has read what is in its part of the table, as one `DTensor`."""
    from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard

    distributed = cast("DTensor", table)
    kinds: dict[Placement, Placement] = {Shard(0): Partial(), Shard(1): Shard(ids.ndim)}
    placements = [kinds.get(place, Replicate()) for place in distributed.placements]
    shape = torch.Size([*ids.shape, table.shape[1]])
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(rows, distributed.device_mesh, placements, shape=shape, stride=stride)


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

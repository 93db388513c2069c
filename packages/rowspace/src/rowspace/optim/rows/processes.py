"""Gradients of tables that each process holds whole, in a model that `fully_shard` distributes: `average_gradient`.

`fully_shard` averages the gradients of the parameters that it shards, and leaves those of `ignored_params` to each
process.
"""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch
from torch import Tensor, distributed, nn

from rowspace.errors import UsageError
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.optim.rows.table import rows_of

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

__all__ = ["average_gradient", "groups_of", "require_equal_rows"]

NONE, SPARSE, DENSE = range(3)  # the kinds of a gradient


def groups_of(parameters: Iterable[Tensor]) -> list[distributed.ProcessGroup]:
    """The groups of processes over which some of these parameters are sharded; none without sharded parameters."""
    if "torch.distributed.tensor" not in sys.modules:
        return []
    for parameter in parameters:
        if is_distributed(parameter):
            sharded: DTensor = parameter  # type: ignore[assignment]  # is_distributed says so
            return [group for group in sharded.device_mesh.get_all_groups() if group.size() > 1]
    return []


def average_gradient(parameter: nn.Parameter, groups: list[distributed.ProcessGroup]) -> None:
    """Replace the gradient of a parameter (V, d) by its mean over all processes; all of them must call this.

    The result is the same in all processes, with the rows of each in the order of the processes. A process without a
    gradient counts as one with zeros.
    """
    for group in groups:
        gradient = parameter.grad
        kind, count = NONE, 0
        if gradient is not None:
            kind, count = (SPARSE, gradient._nnz()) if gradient.is_sparse else (DENSE, 0)
        mine = torch.tensor([kind, count], device=parameter.device)
        kinds, counts = torch.stack(_gathered(mine, group)).T.tolist()
        if max(kinds) == DENSE:
            dense = torch.zeros_like(rows_of(parameter)) if gradient is None else gradient.to_dense()
            distributed.all_reduce(dense, group=group)
            parameter.grad = dense.div_(group.size())
        elif max(kinds) == SPARSE:
            parameter.grad = _mean_of_sparse(parameter, counts, group)


def _mean_of_sparse(parameter: nn.Parameter, counts: list[int], group: distributed.ProcessGroup) -> Tensor:
    """The mean of sparse gradients with these numbers of rows, not coalesced."""
    ids = torch.zeros(max(counts), dtype=torch.int64, device=parameter.device)
    rows = torch.zeros(max(counts), parameter.shape[1], dtype=parameter.dtype, device=parameter.device)
    if parameter.grad is not None:
        own = parameter.grad._nnz()
        ids[:own], rows[:own] = parameter.grad._indices()[0], parameter.grad._values()
    all_ids = [part[:count] for part, count in zip(_gathered(ids, group), counts, strict=True)]
    all_rows = [part[:count] for part, count in zip(_gathered(rows, group), counts, strict=True)]
    mean = torch.cat(all_rows).div_(group.size())
    return torch.sparse_coo_tensor(torch.cat(all_ids)[None], mean, parameter.shape, check_invariants=False)


def require_equal_rows(parameter: nn.Parameter, groups: list[distributed.ProcessGroup]) -> None:
    """Raise `UsageError` in all processes unless the table has the same bits in all of them."""
    integer = {8: torch.int64, 4: torch.int32, 2: torch.int16}[parameter.element_size()]
    bits = rows_of(parameter).contiguous().view(integer)
    weights = torch.arange(1, len(bits) + 1, device=bits.device)
    mine = (bits.sum(1, dtype=torch.int64) * weights).sum()  # wraps, so that the order of summation does not matter
    for group in groups:
        sums = [int(part) for part in _gathered(mine, group)]
        if len(set(sums)) > 1:
            raise UsageError(
                f"the table of shape {list(parameter.shape)} is not the same in all processes at the first step; "
                "seed each process equally before the model is built, or load the same state"
            )


def _gathered(tensor: Tensor, group: distributed.ProcessGroup) -> list[Tensor]:
    """A tensor of each process."""
    parts = [torch.empty_like(tensor) for _ in range(group.size())]
    distributed.all_gather(parts, tensor, group=group)
    return parts

"""What the processes that split a vocabulary send each other, as operators that `torch.compile` does not look into.

`sum_rows` and `sum_gradients` are each other's derivative: a tensor that all processes use in the same way has the same
gradient in each, and a tensor of which each process uses a part has a part of the gradient in each.
"""

from typing import Any

import torch
from torch import Tensor, distributed
from torch.autograd.function import once_differentiable

from rowspace.errors import UsageError
from rowspace.layers._torch_private import assert_on_device, group_of

__all__ = ["compared", "require_same", "sum_gradients", "sum_rows"]

SAMPLE = 16  # numbers of the hidden states that are compared between processes
PRIME = 8_388_593  # below 2**23, so that float32 holds each remainder
TOLERANCE = 5e-2  # of the largest number in the sample: the last bits, also of bfloat16, may differ


def sum_rows(rows: Tensor, ids: Tensor, group: str) -> Tensor:
    """Rows (..., d) of which each process has some and zeros → all rows, in each process; ids (...) are compared."""
    found: Tensor = _SumRows.apply(rows, ids, group)
    return found


def compared(hidden: Tensor, group: str) -> Tensor:
    """The hidden states (..., d) themselves; an error unless they are the same in all processes."""
    same: Tensor = _Compared.apply(hidden, group)
    return same


def sum_gradients(tensor: Tensor, group: str) -> Tensor:
    """The tensor itself; its gradient is the sum over the processes, each of which has a part."""
    same: Tensor = _SumGradients.apply(tensor, group)
    return same


class _SumRows(torch.autograd.Function):
    """The sum over the processes; its gradient goes to each of them."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, ids: Tensor, group: str) -> Tensor:
        found: Tensor = _summed_rows(rows, ids, group)
        return found

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return grad, None, None


class _Compared(torch.autograd.Function):
    """The identity, and so is its gradient."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, group: str) -> Tensor:
        same: Tensor = _compared_states(hidden, group)
        return same

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad, None


class _SumGradients(torch.autograd.Function):
    """The identity; its gradient is the sum over the processes."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, group: str) -> Tensor:
        ctx.group = group
        return tensor.view_as(tensor)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _summed(grad, ctx.group), None


@torch.library.custom_op("rowspace::summed_rows", mutates_args=())
def _summed_rows(rows: Tensor, ids: Tensor, group: str) -> Tensor:
    require_same(ids, None, group, "ids")
    result = rows.clone(memory_format=torch.contiguous_format)
    distributed.all_reduce(result, group=group_of(group))
    return result


@_summed_rows.register_fake
def _(rows: Tensor, ids: Tensor, group: str) -> Tensor:
    return torch.empty_like(rows, memory_format=torch.contiguous_format)


@torch.library.custom_op("rowspace::compared_states", mutates_args=())
def _compared_states(hidden: Tensor, group: str) -> Tensor:
    sizes = torch.tensor(hidden.shape, device=hidden.device)
    require_same(sizes, hidden, group, "shapes of the hidden states")
    return hidden.clone()


@_compared_states.register_fake
def _(hidden: Tensor, group: str) -> Tensor:
    return torch.empty_like(hidden)


@torch.library.custom_op("rowspace::summed_over_processes", mutates_args=())
def _summed(tensor: Tensor, group: str) -> Tensor:
    result = tensor.clone(memory_format=torch.contiguous_format)
    distributed.all_reduce(result, group=group_of(group))
    return result


@_summed.register_fake
def _(tensor: Tensor, group: str) -> Tensor:
    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def require_same(ids: Tensor, hidden: Tensor | None, group: str, name: str) -> None:
    """Raise `UsageError`, in all processes, unless all have the same ids (N,), and hidden states if given.

    The processes send 144 bytes: the number of the ids, a checksum, and 16 numbers of the hidden states, each with its
    negative, so that one maximum gives the largest and the smallest. On a GPU the error is a device assertion.
    """
    mine = torch.cat([_checksum(ids), _sample(hidden, ids)])
    both = torch.cat([mine, -mine])
    distributed.all_reduce(both, distributed.ReduceOp.MAX, group=group_of(group))
    highest, lowest = both[: len(mine)], -both[len(mine) :]
    apart = highest - lowest
    bound = TOLERANCE * torch.maximum(highest[2:], -lowest[2:]).amax()
    is_same = torch.stack([(apart[:2] == 0).all(), ~(apart[2:] > bound).any()])
    if is_same.is_cuda:
        assert_on_device(is_same.all(), _sentence(name, group))
        return
    for holds, what in zip(is_same.tolist(), (name, "hidden states"), strict=True):
        if not holds:
            raise UsageError(_sentence(what, group))


def _checksum(ids: Tensor) -> Tensor:
    """The number of ids, and a number that depends on each id and its place."""
    flat = ids.reshape(-1).long()
    places = torch.arange(1, flat.numel() + 1, device=flat.device)
    return torch.stack([torch.tensor(flat.numel(), device=flat.device), (flat * places).sum() % PRIME]).float()


def _sample(hidden: Tensor | None, ids: Tensor) -> Tensor:
    """Numbers at equal distances (16,), or zeros."""
    if hidden is None or hidden.numel() < SAMPLE:
        return torch.zeros(SAMPLE, device=ids.device)
    flat = hidden.detach().reshape(-1)
    places = torch.arange(SAMPLE, device=flat.device) * (flat.numel() - 1) // (SAMPLE - 1)
    return flat[places].float()


def _sentence(what: str, group: str) -> str:
    cure = (
        "pass the same batch to all of them, and different batches only along another dimension of the mesh"
        if what != "hidden states"
        else "pass the same batch to all of them, and give dropout the same seed in each"
    )
    return f"the {what} differ between the {group_of(group).size()} processes that split the vocabulary; {cure}"

"""Clipping the norm of sparse and dense gradients together: `clip_grad_norm_`."""

from collections.abc import Iterable
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.utils import get_total_norm

from rowspace.layers.tables.distributed_lookup import full_tensor, is_distributed, local_tensor
from rowspace.optim.rows.parameter import DeferredParameter
from rowspace.optim.rows.processes import groups_of
from rowspace.optim.rows.slot import slot_of

__all__ = ["clip_grad_norm_"]


@torch.no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale gradients in place so that their common norm is at most `max_norm`, as torch's function of this name does.

    torch's raises an error for sparse gradients, and for some of parameters that are sharded by `fully_shard` or
    `vocabulary_parallel` beside others that are not, or on another mesh. Here a sparse one counts as its dense
    equivalent: duplicate ids are summed first. In a sharded model the gradients of whole tables with a deferred
    optimizer are averaged over the processes before. To let the optimizer clip in its step, as under a trainer that
    clips with torch's function, pass `max_norm` to it.

    Args:
        parameters: Parameters, of which those without a gradient are ignored.
        max_norm: The largest norm.
        norm_type: p of the p-norm, or `inf`.
        error_if_nonfinite: Whether a norm that is not finite is an error.

    Returns:
        The norm before clipping.

    Raises:
        RuntimeError: If the norm is not finite and `error_if_nonfinite` is True.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(10, 4, sparse=True)
    >>> table(torch.tensor([3, 3])).sum().backward()
    >>> clip_grad_norm_(table.parameters(), 1.0)  # four numbers that are 2
    tensor(4.)
    """
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    slots = [slot_of(each.slot_number) for each in parameters if isinstance(each, DeferredParameter)]
    groups = groups_of(parameters)
    for slot in filter(None, slots):
        slot.average_gradient(groups)
    for parameter in parameters:
        if parameter.grad is not None and parameter.grad.is_sparse and not parameter.grad.is_coalesced():
            parameter.grad = parameter.grad.coalesce()
    gradients = [_values(parameter.grad) for parameter in parameters if parameter.grad is not None]
    norm = _total_norm(gradients, norm_type, error_if_nonfinite)
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in map(_local, gradients):
        gradient.mul_(factor.to(gradient.device))
    for slot in filter(None, slots):
        slot.mark_averaged()
    return norm


def _total_norm(gradients: list[Tensor], norm_type: float, error_if_nonfinite: bool) -> Tensor:
    """The norm of all gradients; torch computes those on each mesh of processes, and of others, separately."""
    others = [gradient for gradient in gradients if not is_distributed(gradient)]
    norm = get_total_norm(others, norm_type, error_if_nonfinite)
    parts = [
        full_tensor(get_total_norm(sharded, norm_type, error_if_nonfinite)).to(norm) for sharded in _by_mesh(gradients)
    ]
    if not parts:
        return norm
    total: Tensor = torch.linalg.vector_norm(torch.stack([norm, *parts]), norm_type)
    return total


def _by_mesh(gradients: list[Tensor]) -> list[list[Tensor]]:
    """The distributed gradients, with those on one mesh together, in the same order in all processes."""
    groups: dict[Any, list[Tensor]] = {}
    for gradient in filter(is_distributed, gradients):
        groups.setdefault(cast(Any, gradient).device_mesh, []).append(gradient)
    return list(groups.values())


def _local(gradient: Tensor) -> Tensor:
    """The part of a gradient in this process, which shares its memory."""
    return local_tensor(gradient) if is_distributed(gradient) else gradient


def _values(gradient: Tensor) -> Tensor:
    """The numbers of a gradient."""
    return gradient._values() if gradient.is_sparse else gradient

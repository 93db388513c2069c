"""Clipping the norm of sparse and dense gradients together: `clip_grad_norm_`."""

from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn.utils import get_total_norm

__all__ = ["clip_grad_norm_"]


@torch.no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale gradients in place so that their common norm is at most `max_norm`, as torch's function of this name does.

    torch's raises an error for sparse gradients. Here a sparse one counts as its dense equivalent: duplicate ids are
    summed first.

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
    for parameter in parameters:
        if parameter.grad is not None and parameter.grad.is_sparse and not parameter.grad.is_coalesced():
            parameter.grad = parameter.grad.coalesce()
    gradients = [_values(parameter.grad) for parameter in parameters if parameter.grad is not None]
    norm = get_total_norm(gradients, norm_type, error_if_nonfinite)
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.device))
    return norm


def _values(gradient: Tensor) -> Tensor:
    """The numbers of a gradient."""
    return gradient._values() if gradient.is_sparse else gradient

"""Numbers per row that are computed from chunks of logits, with their derivatives: `values_by_row`, `sum_of_values`.

An operator has the signature `(hidden, weight, bias, row_gradient, needs_grad, *others) -> values, dhidden, dweight,
dbias`: the values of each row in the last dimension of `values`, and the gradients of their dot product with
`row_gradient`, or of their sum, of which `needs_grad` selects those that are computed.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

__all__ = ["HeadRows", "sum_of_values", "values_by_row"]

Operator = Callable[..., tuple[Tensor, Tensor, Tensor, Tensor]]


class HeadRows(NamedTuple):
    """What logits are computed from: `softcap(hidden @ weight.T + bias)`."""

    hidden: Tensor  # (..., d)
    weight: Tensor  # (V, d)
    bias: Tensor | None  # (V,)
    softcap: float | None


def values_by_row(operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any) -> Tensor:
    """The values of the rows; the backward pass calls the operator again, with the incoming gradient."""
    return cast(Tensor, _ValuesByRow.apply(operator, hidden, weight, bias, *others))


def sum_of_values(operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any) -> Tensor:
    """The sum of the values; the forward pass computes the gradients too, if any is needed."""
    return cast(Tensor, _SumOfValues.apply(operator, hidden, weight, bias, *others))


class _ValuesByRow(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any
    ) -> Tensor:
        ctx.operator, ctx.others = operator, [None if isinstance(each, Tensor) else each for each in others]
        ctx.save_for_backward(hidden, weight, bias, *[each if isinstance(each, Tensor) else None for each in others])
        return operator(hidden, weight, bias, None, [False] * 3, *others)[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, *tensors = ctx.saved_tensors
        others = [other if tensor is None else tensor for tensor, other in zip(tensors, ctx.others, strict=True)]
        needed = list(ctx.needs_input_grad[1:4])
        _, *gradients = ctx.operator(hidden, weight, bias, upstream.contiguous(), needed, *others)
        return None, *_in_dtypes(gradients, needed, (hidden, weight, bias)), *[None] * len(others)


class _SumOfValues(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, operator: Operator, hidden: Tensor, weight: Tensor, bias: Tensor | None, *others: Any
    ) -> Tensor:
        needed = list(ctx.needs_input_grad[1:4])
        values, *gradients = operator(hidden, weight, bias, None, needed, *others)
        ctx.save_for_backward(*_in_dtypes(gradients, needed, (hidden, weight, bias)))
        ctx.others = len(others)
        return values.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        scaled = [None if gradient is None else gradient * upstream for gradient in ctx.saved_tensors]
        return None, *scaled, *[None] * ctx.others


def _in_dtypes(gradients: Any, needed: list[bool], parts: tuple[Tensor | None, ...]) -> list[Tensor | None]:
    """The needed gradients, each in the dtype of its tensor, and None for the others."""
    return [
        gradient.to(part.dtype) if is_needed and part is not None else None
        for gradient, part, is_needed in zip(gradients, parts, needed, strict=True)
    ]

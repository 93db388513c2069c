"""A sparse gradient whose norm torch's clipping can compute: `RowGradient`."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from rowspace.layers._torch_private import call_plainly

__all__ = ["RowGradient"]

NORMS = {torch.linalg.vector_norm, torch._foreach_norm, torch.norm, Tensor.norm}
PRODUCTS = {Tensor.mul_, torch._foreach_mul_}


class RowGradient(Tensor):
    """A sparse gradient (V, d) of a deferred parameter, with the operations of `torch.nn.utils.clip_grad_norm_`.

    torch has none of them for sparse tensors, and the trainers of accelerate, transformers and Lightning call its
    function. The gradient that `parameter.grad` returns gets this class.
    """

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Compute norms from the sums of duplicate rows, and products on the rows in place."""
        if func in NORMS:
            args = (_rows(args[0], summed=True), *args[1:])
        elif func in PRODUCTS:
            rows = (_rows(args[0], summed=False), *args[1:])
            call_plainly(func, rows, kwargs)
            return args[0]
        return call_plainly(func, args, kwargs)


def _rows(value: Any, *, summed: bool) -> Any:
    """The rows (n, d) of a gradient, or of each in a list; other tensors as they are."""
    if isinstance(value, list | tuple):
        return [_rows(item, summed=summed) for item in value]
    if not isinstance(value, RowGradient):
        return value
    gradient = call_plainly(Tensor.coalesce, (value,)) if summed else value
    return call_plainly(Tensor._values, (gradient,))

"""SGD with momentum whose cost is that of the rows in use: `DeferredSGD`."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.sgd import sgd

from rowspace.errors import UsageError
from rowspace.optim.deferred import DeferredOptimizer, Parameters
from rowspace.optim.rules.linear import SgdRows

__all__ = ["DeferredSGD"]


class DeferredSGD(DeferredOptimizer):
    """SGD that updates only the rows of a sparse gradient, and equals `torch.optim.SGD` on the dense one.

    A step without a gradient is linear in a row and its momentum, also with coupled weight decay, so that missed steps
    are one 2 × 2 matrix. See `DeferredAdamW` for when rows are up to date.

    Args:
        params: A model, or parameters or groups of parameters together with `modules`.
        lr: Learning rate.
        momentum: Decay of the momentum. All hyperparameters may be changed in `param_groups` before any step.
        dampening: Part of the gradient that does not enter the momentum.
        weight_decay: Coupled, as in torch.
        nesterov: Look ahead by one step.
        maximize: Follow the gradient upwards.
        modules: The modules that read the tables.
        max_norm: As for `DeferredAdamW`.

    Raises:
        UsageError: For an invalid argument, or a model without sparse gradients.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(1000, 8, sparse=True)
    >>> optimizer = DeferredSGD(table, lr=0.1, momentum=0.9)
    >>> table(torch.tensor([3, 4])).sum().backward()
    >>> optimizer.step()
    """

    moments = ("momentum_buffer",)
    rows_type = SgdRows

    def __init__(  # noqa: PLR0913  # the arguments of torch's optimizer, and two of all deferred ones
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        modules: Iterable[nn.Module] | None = None,
        max_norm: float | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": None,
            "differentiable": False,
            "fused": None,
        }
        super().__init__(params, defaults, modules, max_norm)

    def check_group(self, group: dict[str, Any]) -> None:
        """Raise `UsageError` for an invalid hyperparameter."""
        lr, momentum, weight_decay = group["lr"], group["momentum"], group["weight_decay"]
        if not (lr >= 0 and momentum >= 0 and weight_decay >= 0):
            raise UsageError(
                f"lr, momentum and weight_decay must be at least 0, not {lr}, {momentum} and {weight_decay}"
            )
        if group["nesterov"] and (momentum == 0 or group["dampening"] != 0):
            raise UsageError("nesterov needs a momentum above 0 and no dampening")

    def init_state(self, values: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Write `step` to the state of a parameter; as in torch, it has no momentum before the first step with one."""
        state["step"] = torch.zeros(())
        state["momentum_buffer"] = None

    def dense_steps(
        self, values: list[Tensor], gradients: list[Tensor], states: list[dict[str, Any]], group: dict[str, Any]
    ) -> None:
        """A step of torch's SGD."""
        buffers = [state["momentum_buffer"] for state in states]
        options = ("weight_decay", "momentum", "lr", "dampening", "nesterov", "maximize")
        sgd(values, gradients, buffers, **{name: group[name] for name in options})
        for state, buffer in zip(states, buffers, strict=True):
            state["step"] += 1
            state["momentum_buffer"] = buffer

"""Adagrad with one accumulator for each row: `RowAdagrad`."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.optim.deferred import DeferredOptimizer, Parameters
from rowspace.optim.rules.linear import AdagradRows

__all__ = ["RowAdagrad"]


class RowAdagrad(DeferredOptimizer):
    """Adagrad that keeps one number per row instead of d: the sum of the row's mean squared gradients.

    A step adds mean(g²) to it and subtracts lr · g / (√sum + eps). With weight decay, which is decoupled, the rows
    without a gradient are caught up as by `DeferredAdamW`. Parameters without a table get one number for each slice
    along the first dimension.

    Source: Duchi et al. 2011; row-wise for tables: Naumov et al. 2019 (DLRM), "exact row-wise Adagrad" in FBGEMM.

    Args:
        params: A model, or parameters or groups of parameters together with `modules`.
        lr: Learning rate.
        lr_decay: The learning rate of step t is lr / (1 + (t - 1) · lr_decay).
        weight_decay: Decoupled from the gradient.
        eps: Added to the denominator; above 0.
        initial_accumulator_value: The sums at the start.
        maximize: Follow the gradient upwards.
        modules: The modules that read the tables.
        max_norm: As for `DeferredAdamW`.

    Raises:
        UsageError: For an invalid argument, or a model without sparse gradients.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(1000, 8, sparse=True)
    >>> optimizer = RowAdagrad(table, lr=0.1)
    >>> table(torch.tensor([3, 4])).sum().backward()
    >>> optimizer.step()
    >>> optimizer.state[table.weight]["sum"].shape
    torch.Size([1000])
    """

    moments = ("sum",)
    rows_type = AdagradRows

    def __init__(  # noqa: PLR0913  # the arguments of torch's optimizer, and two of all deferred ones
        self,
        params: Parameters,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        eps: float = 1e-10,
        initial_accumulator_value: float = 0.0,
        *,
        maximize: bool = False,
        modules: Iterable[nn.Module] | None = None,
        max_norm: float | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "eps": eps,
            "initial_accumulator_value": initial_accumulator_value,
            "maximize": maximize,
        }
        super().__init__(params, defaults, modules, max_norm)

    def check_group(self, group: dict[str, Any]) -> None:
        """Raise `UsageError` for an invalid hyperparameter."""
        if not all(group[name] >= 0 for name in ("lr", "lr_decay", "weight_decay", "initial_accumulator_value")):
            raise UsageError("lr, lr_decay, weight_decay and initial_accumulator_value must be at least 0")
        if not group["eps"] > 0:
            raise UsageError(f"eps must be above 0, not {group['eps']}")

    def init_state(self, values: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Write `step` and the sums of a parameter with these values to its state."""
        state["step"] = torch.zeros(())
        state["sum"] = values.new_full((len(_by_row(values)),), group["initial_accumulator_value"])

    def dense_steps(
        self, values: list[Tensor], gradients: list[Tensor], states: list[dict[str, Any]], group: dict[str, Any]
    ) -> None:
        """The same step for all rows."""
        lr = float(group["lr"])
        for value, gradient, state in zip(values, gradients, states, strict=True):
            rows, sums = _by_row(gradient), state["sum"]
            sums += rows.square().mean(1)
            rate = lr / (1 + float(state["step"]) * group["lr_decay"]) / (sums.sqrt() + group["eps"])
            update = (rate.unsqueeze(1) * rows).reshape(value.shape)
            value.mul_(1 - lr * group["weight_decay"]).add_(update, alpha=1 if group["maximize"] else -1)
            state["step"] += 1


def _by_row(tensor: Tensor) -> Tensor:
    """A tensor (n, ...) as (n, d); a scalar is one row."""
    return tensor.reshape(len(tensor), -1) if tensor.dim() else tensor.reshape(1, 1)

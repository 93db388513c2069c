"""AdamW whose cost is that of the rows in use: `DeferredAdamW`."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.adamw import adamw

from rowspace.errors import UsageError
from rowspace.layers.inputs._memory_pool import LARGE, lazy_zeros
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.optim.deferred import DeferredOptimizer, Parameters
from rowspace.optim.rules.adam import AdamRows

__all__ = ["DeferredAdamW"]


class DeferredAdamW(DeferredOptimizer):
    """AdamW that updates only the rows of a sparse gradient, and equals `torch.optim.AdamW` on the dense one.

    AdamW moves a row also in steps in which it has no gradient: its moments and its weight decay. These steps are taken
    at once, in closed form, when the row is read again. Each operation on `weight` finds rows that are up to date: a
    lookup catches up its rows, any other operation all rows. A tensor that shares the memory of `weight`, made before,
    may have rows that are behind until `flush()`.

    All tables with `sparse=True` are deferred: `TokenEmbedding`, `nn.Embedding`, `nn.EmbeddingBag`. Other parameters,
    and tables that get a dense gradient (with a warning), are updated by torch's fused AdamW. Rows in bfloat16 and
    float16 have a copy in float32, which is rounded when it has changed.

    Source: Loshchilov & Hutter 2019 (AdamW); amsgrad from Reddi et al. 2018.

    Args:
        params: A model, or parameters or groups of parameters together with `modules`.
        lr: Learning rate. It and the other hyperparameters may be changed in `param_groups` before any step, `amsgrad`
            only before the first.
        betas: Decay of the two moments.
        eps: Added to the denominator; above 0.
        weight_decay: Decoupled from the gradient.
        amsgrad: Divide by the largest second moment so far.
        maximize: Follow the gradient upwards.
        modules: The modules that read the tables; an optimizer that gets parameters only cannot see a forward pass.
        max_norm: Clip the norm of all gradients together to this in each step, as `clip_grad_norm_` does; for trainers,
            whose own clipping does not know sparse gradients.
        decoupled_weight_decay: Must be True: coupled weight decay (L2) puts each row's values into its moments, so that
            every row has a gradient in each step.

    Raises:
        UsageError: For an invalid argument, or a model without sparse gradients.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(1000, 8, sparse=True)
    >>> optimizer = DeferredAdamW(table, lr=0.1)
    >>> table(torch.tensor([3, 4])).sum().backward()
    >>> optimizer.step()
    """

    moments = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    rows_type = AdamRows

    def __init__(  # noqa: PLR0913  # the arguments of torch's AdamW
        self,
        params: Parameters,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        modules: Iterable[nn.Module] | None = None,
        max_norm: float | None = None,
        decoupled_weight_decay: bool = True,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": None,
            "capturable": False,
            "differentiable": False,
            "fused": None,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults, modules, max_norm)

    def check_group(self, group: dict[str, Any]) -> None:
        """Raise `UsageError` for an invalid hyperparameter."""
        if not group["decoupled_weight_decay"]:
            raise UsageError(
                "decoupled_weight_decay must be True: coupled weight decay (L2) gives every row a gradient in each "
                "step, so that none can be deferred; use torch.optim.Adam"
            )
        if not group["lr"] >= 0:
            raise UsageError(f"lr must be at least 0, not {group['lr']}")
        if not group["eps"] > 0:
            raise UsageError(
                f"eps must be above 0, not {group['eps']}: rows without a gradient so far would become NaN"
            )
        if not all(0 <= beta < 1 for beta in group["betas"]):
            raise UsageError(f"betas must be from 0 to below 1, not {group['betas']}")
        if not group["weight_decay"] >= 0:
            raise UsageError(f"weight_decay must be at least 0, not {group['weight_decay']}")

    def init_state(self, values: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Write `step` and the moments of a parameter with these values to its state."""
        state["step"] = torch.zeros((), dtype=torch.float32, device=values.device)
        for name in self.moments[: 3 if group["amsgrad"] else 2]:
            state[name] = _zeros_like(values)

    def dense_steps(
        self, values: list[Tensor], gradients: list[Tensor], states: list[dict[str, Any]], group: dict[str, Any]
    ) -> None:
        """A step of torch's AdamW, fused where torch can."""
        beta1, beta2 = (float(beta) for beta in group["betas"])
        fused = all(value.is_floating_point() and value.device.type in ("cpu", "cuda") for value in values)
        adamw(
            values, gradients, [state["exp_avg"] for state in states], [state["exp_avg_sq"] for state in states],
            [state["max_exp_avg_sq"] for state in states if group["amsgrad"]], [state["step"] for state in states],
            fused=fused, foreach=False, amsgrad=group["amsgrad"], beta1=beta1, beta2=beta2, lr=group["lr"],
            weight_decay=group["weight_decay"], eps=group["eps"], maximize=group["maximize"],
        )  # fmt: skip


def _zeros_like(values: Tensor) -> Tensor:
    """Zeros for the moments; in huge pages if the system has them, since a step accesses rows in random order."""
    is_plain = values.is_cpu and values.is_contiguous() and not is_distributed(values)
    if is_plain and values.dtype == torch.float32 and values.nbytes >= LARGE:
        return lazy_zeros(*values.shape)
    return torch.zeros_like(values, memory_format=torch.preserve_format)

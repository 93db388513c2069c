"""Bounds on the norm of rows, kept after each step of the optimizer: `MaxNorm`, `UnitNorm`, `constrain`.

Never in forward: there, rewriting the table breaks autograd and makes reading it change it (`max_norm` of
`torch.nn.Embedding` does). Read next: `token_embedding.py`.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.hooks import RemovableHandle

from rowspace.errors import UsageError


@runtime_checkable
class Constraint(Protocol):
    """What each row must satisfy, given as the factor that makes it so."""

    def factors(self, norms: Tensor) -> Tensor:
        """Norms of rows (n,) → what to multiply the rows by (n,)."""


@dataclass(frozen=True)
class MaxNorm:
    """No row is longer than `max_norm`; those within are left as they are, to the bit.

    >>> MaxNorm(1.0).factors(torch.tensor([0.5, 2.0]))
    tensor([1.0000, 0.5000])
    """

    max_norm: float

    def __post_init__(self) -> None:
        """Refuse a bound that nothing can keep."""
        if not self.max_norm > 0:
            raise UsageError(f"max_norm must be above 0, not {self.max_norm}")

    def factors(self, norms: Tensor) -> Tensor:
        """One for rows within the bound."""
        return torch.where(norms > self.max_norm, self.max_norm / norms, 1.0)


@dataclass(frozen=True)
class UnitNorm:
    """Each row has norm 1; a row of zeros, as padding is, stays zero.

    >>> UnitNorm().factors(torch.tensor([0.0, 4.0]))
    tensor([1.0000, 0.2500])
    """

    def factors(self, norms: Tensor) -> Tensor:
        """The inverse of each norm."""
        return torch.where(norms > 0, 1 / norms, 1.0)


def constrain(optimizer: Optimizer, module: nn.Module) -> RemovableHandle:
    """Apply the constraints of the tables in `module` now and after each step of `optimizer`; gives back the hook.

    A table is a submodule with a `weight` (V, d) and a `constraint`. After a step with a sparse gradient only the rows
    that it touched are looked at. Raises `UsageError` if no table of `module` has a constraint.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(5, 3, constraint=MaxNorm(1.0))
    >>> optimizer = torch.optim.SGD(table.parameters(), lr=100.0)
    >>> handle = constrain(optimizer, table)
    >>> table(torch.tensor([2])).sum().backward()
    >>> optimizer.step()
    >>> round(float(table.weight.detach()[2].norm()), 4)
    1.0
    """
    if not _constrained(module):
        raise UsageError(
            "module must hold a table with a constraint, as TokenEmbedding(5, 3, constraint=UnitNorm()) does"
        )
    apply_constraints(module)
    return optimizer.register_step_post_hook(lambda *_: _after_step(module))


@torch.no_grad()
def apply_constraints(module: nn.Module) -> None:
    """Bring the rows of all tables in `module` within their constraints, in place.

    >>> from rowspace.layers import TokenEmbedding
    >>> table = TokenEmbedding(5, 3, constraint=UnitNorm())
    >>> apply_constraints(table)
    >>> bool((table.weight.norm(dim=1) - 1).abs().max() < 1e-6)
    True
    """
    for weight, constraint in _constrained(module):
        weight.mul_(_factors(weight, constraint))


@torch.no_grad()
def _after_step(module: nn.Module) -> None:
    """As `apply_constraints`, reading no more rows than the optimizer wrote."""
    for weight, constraint in _constrained(module):
        if weight.grad is None or not weight.grad.is_sparse:
            weight.mul_(_factors(weight, constraint))
            continue
        rows = weight.grad.coalesce().indices()[0]
        touched = weight[rows]
        weight[rows] = touched.mul_(_factors(touched, constraint))


def _constrained(module: nn.Module) -> list[tuple[Tensor, Constraint]]:
    """The tables that have a constraint, each with it."""
    pairs = ((getattr(part, "weight", None), getattr(part, "constraint", None)) for part in module.modules())
    return [(weight, bound) for weight, bound in pairs if isinstance(weight, Tensor) and isinstance(bound, Constraint)]


def _factors(rows: Tensor, constraint: Constraint) -> Tensor:
    """What to multiply rows (n, d) by, (n, 1), in float32 at least: the product is rounded once."""
    dtype = torch.promote_types(rows.dtype, torch.float32)
    norms = torch.linalg.vector_norm(rows, dim=1, dtype=dtype)
    return constraint.factors(norms).unsqueeze(1)

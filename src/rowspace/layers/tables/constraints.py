"""Bounds on the norm of rows, enforced after each optimizer step: `MaxNorm`, `UnitNorm`, `constrain`.

Not in forward, where changing the table breaks autograd and a lookup would modify the table (as `max_norm` of
`torch.nn.Embedding` does).
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.utils.hooks import RemovableHandle

from rowspace.errors import UsageError
from rowspace.layers.tables.distributed_lookup import is_distributed


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

    A table is a submodule with a `weight` (V, d) and a `constraint`. After a step of SGD, SparseAdam or Adagrad with a
    sparse gradient, only the rows of the gradient are read, and those that SGD's momentum still moves; otherwise all
    rows are. Raises `UsageError` if no table of `module` has a constraint.

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
    return optimizer.register_step_post_hook(lambda *_: _after_step(optimizer, module))


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
        _bound(weight, constraint)


@torch.no_grad()
def _after_step(optimizer: Optimizer, module: nn.Module) -> None:
    """As `apply_constraints`, reading no more rows than the optimizer can have moved."""
    for weight, constraint in _constrained(module):
        rows = _moved_rows(optimizer, weight)
        if rows is None:
            _bound(weight, constraint)
        else:
            moved = weight[rows]
            _bound(moved, constraint)
            weight[rows] = moved


# With a sparse gradient these move the rows of that gradient, and SGD those of its momentum. Others may move all rows.
_ROW_BY_ROW = (torch.optim.SGD, torch.optim.SparseAdam, torch.optim.Adagrad)


def _moved_rows(optimizer: Optimizer, weight: Tensor) -> Tensor | None:
    """The rows that the last step may have moved (n,), or None for all."""
    if weight.grad is None or not weight.grad.is_sparse or type(optimizer) not in _ROW_BY_ROW:
        return None
    momentum = optimizer.state.get(weight, {}).get("momentum_buffer")
    moved = weight.grad if momentum is None else momentum
    return moved.coalesce().indices()[0] if moved.is_sparse else None


def _constrained(module: nn.Module) -> list[tuple[Tensor, Constraint]]:
    """The tables that have a constraint, each with it."""
    pairs = ((getattr(part, "weight", None), getattr(part, "constraint", None)) for part in module.modules())
    return [(weight, bound) for weight, bound in pairs if isinstance(weight, Tensor) and isinstance(bound, Constraint)]


def _bound(rows: Tensor, constraint: Constraint) -> None:
    """Bring rows (n, d) within the constraint, in place; norms are float32 at least, products rounded once."""
    dtype = torch.promote_types(rows.dtype, torch.float32)
    norms = torch.linalg.vector_norm(rows, dim=1, dtype=dtype)
    factors = constraint.factors(norms).unsqueeze(1)
    if rows.is_meta or is_distributed(rows):
        rows.mul_(factors)
        return
    # The square of a number may overflow, or be too small to keep its digits; zeros are among these and stay.
    smallest = (rows.shape[1] * torch.finfo(dtype).tiny / torch.finfo(dtype).eps) ** 0.5
    extreme = (~(norms >= smallest) | norms.isinf()).nonzero().flatten()
    replaced = _bounded_extremes(rows[extreme].cpu().double(), constraint) if len(extreme) else None
    rows.mul_(factors)
    if replaced is not None:
        rows[extreme] = replaced.to(rows)


def _bounded_extremes(rows: Tensor, constraint: Constraint) -> Tensor:
    """Rows (n, d) float64, within the constraint: norms are computed of rows over their largest number."""
    limits = torch.finfo(rows.dtype)
    for _ in range(2):  # once more for rows whose norm is beyond float64 itself
        largest = rows.abs().amax(dim=1, keepdim=True)
        units = torch.where(largest > 0, rows / largest, 0.0)
        norms = torch.linalg.vector_norm(units, dim=1) * largest.squeeze(1)
        factors = constraint.factors(norms.clamp(limits.tiny, limits.max)).unsqueeze(1)
        rows = torch.where((factors == 1) | (largest == 0), rows, units * (largest * factors))
    return rows

"""Bounds on the norm of rows, enforced after each optimizer step: `MaxNorm`, `UnitNorm`, `constrain`.

They are not applied in forward, as `max_norm` of `torch.nn.Embedding` is: a lookup that modifies the table breaks
autograd.
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
    """A constraint on each row, expressed as a factor to multiply the row by."""

    def factors(self, norms: Tensor) -> Tensor:
        """Norms of rows (n,) → factors (n,)."""


@dataclass(frozen=True)
class MaxNorm:
    """Rows have at most the norm `max_norm`; rows within the bound do not change by a bit.

    Args:
        max_norm: The bound.

    Raises:
        UsageError: Unless `max_norm` is above 0.

    >>> MaxNorm(1.0).factors(torch.tensor([0.5, 2.0]))
    tensor([1.0000, 0.5000])
    """

    max_norm: float

    def __post_init__(self) -> None:
        """Check the bound."""
        if not self.max_norm > 0:
            raise UsageError(f"max_norm must be above 0, not {self.max_norm}")

    def factors(self, norms: Tensor) -> Tensor:
        """Norms (n,) → factors (n,), 1 for rows within the bound."""
        return torch.where(norms > self.max_norm, self.max_norm / norms, 1.0)


@dataclass(frozen=True)
class UnitNorm:
    """Rows have norm 1; a row of zeros, such as padding, stays zero.

    >>> UnitNorm().factors(torch.tensor([0.0, 4.0]))
    tensor([1.0000, 0.2500])
    """

    def factors(self, norms: Tensor) -> Tensor:
        """Norms (n,) → factors (n,): the inverse of each norm, 1 for 0."""
        return torch.where(norms > 0, 1 / norms, 1.0)


def constrain(optimizer: Optimizer, module: nn.Module) -> RemovableHandle:
    """Apply the constraints of the tables in `module` now and after each step of `optimizer`.

    A table is a submodule with a `weight` (V, d) and a `constraint`. After a step of SGD, SparseAdam or Adagrad with a
    sparse gradient, only the rows of the gradient are read, and those that SGD's momentum still moves; otherwise all
    rows are read.

    Args:
        optimizer: The optimizer of the tables.
        module: A table or a module that contains tables.

    Returns:
        A handle whose `remove()` stops it.

    Raises:
        UsageError: If no table of `module` has a constraint.

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
            "module must contain a table with a constraint, such as TokenEmbedding(5, 3, constraint=UnitNorm())"
        )
    apply_constraints(module)
    return optimizer.register_step_post_hook(lambda *_: _after_step(optimizer, module))


@torch.no_grad()
def apply_constraints(module: nn.Module) -> None:
    """Apply the constraints of all tables in `module`, in place.

    Args:
        module: A table or a module that contains tables.

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
    """Like `apply_constraints`, but reads only the rows that the optimizer may have changed."""
    for weight, constraint in _constrained(module):
        rows = _moved_rows(optimizer, weight)
        if rows is None:
            _bound(weight, constraint)
        else:
            moved = weight[rows]
            _bound(moved, constraint)
            weight[rows] = moved


# With a sparse gradient these update only its rows, and SGD those of its momentum. Other optimizers may update all.
_ROW_BY_ROW = (torch.optim.SGD, torch.optim.SparseAdam, torch.optim.Adagrad)


def _moved_rows(optimizer: Optimizer, weight: Tensor) -> Tensor | None:
    """The rows that the last step may have changed (n,), or None for all."""
    if weight.grad is None or not weight.grad.is_sparse or type(optimizer) not in _ROW_BY_ROW:
        return None
    momentum = optimizer.state.get(weight, {}).get("momentum_buffer")
    moved = weight.grad if momentum is None else momentum
    return moved.coalesce().indices()[0] if moved.is_sparse else None


def _constrained(module: nn.Module) -> list[tuple[Tensor, Constraint]]:
    """The tables that have a constraint, with the constraint."""
    pairs = ((getattr(part, "weight", None), getattr(part, "constraint", None)) for part in module.modules())
    return [(weight, bound) for weight, bound in pairs if isinstance(weight, Tensor) and isinstance(bound, Constraint)]


def _bound(rows: Tensor, constraint: Constraint) -> None:
    """Apply a constraint to rows (n, d) in place; norms have float32 or more, products are rounded once."""
    dtype = torch.promote_types(rows.dtype, torch.float32)
    norms = torch.linalg.vector_norm(rows, dim=1, dtype=dtype)
    factors = constraint.factors(norms).unsqueeze(1)
    if rows.is_meta or is_distributed(rows):
        rows.mul_(factors)
        return
    # A square may overflow or lose digits by underflow; rows of zeros are selected too and stay zero.
    smallest = (rows.shape[1] * torch.finfo(dtype).tiny / torch.finfo(dtype).eps) ** 0.5
    extreme = (~(norms >= smallest) | norms.isinf()).nonzero().flatten()
    replaced = _bounded_extremes(rows[extreme].cpu().double(), constraint) if len(extreme) else None
    rows.mul_(factors)
    if replaced is not None:
        rows[extreme] = replaced.to(rows)


def _bounded_extremes(rows: Tensor, constraint: Constraint) -> Tensor:
    """Apply a constraint to rows (n, d) float64; norms are computed after division by the largest magnitude."""
    limits = torch.finfo(rows.dtype)
    for _ in range(2):  # the second pass is for rows whose norm overflows float64
        largest = rows.abs().amax(dim=1, keepdim=True)
        units = torch.where(largest > 0, rows / largest, 0.0)
        norms = torch.linalg.vector_norm(units, dim=1) * largest.squeeze(1)
        factors = constraint.factors(norms.clamp(limits.tiny, limits.max)).unsqueeze(1)
        rows = torch.where((factors == 1) | (largest == 0), rows, units * (largest * factors))
    return rows

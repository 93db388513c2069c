"""Claims about what moves rows: training on, and optimizers. They need PyTorch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims.verdict import Verdict

__all__ = ["fixed_rows", "no_gradient", "root_gradient"]


def optimizers(parameters: list[Tensor], *, lr: float) -> Mapping[str, torch.optim.Optimizer]:
    """Return four optimizers, each for one of the parameters."""
    sgd, momentum, adam, sparse = parameters
    return {
        "SGD": torch.optim.SGD([sgd], lr=lr),
        "SGD with momentum": torch.optim.SGD([momentum], lr=lr, momentum=0.9),
        "AdamW": torch.optim.AdamW([adam], lr=lr),
        "SparseAdam": torch.optim.SparseAdam([sparse], lr=lr),
    }


def read_step(table: torch.nn.Embedding, optimizer: torch.optim.Optimizer, ids: Tensor) -> Tensor:
    """Learn one step of the sum of all numbers of these rows, and return how far each row moved, (V,)."""
    before = table.weight.detach().clone()
    optimizer.zero_grad()
    table(ids).sum().backward()
    optimizer.step()
    moved: Tensor = (table.weight.detach() - before).norm(dim=1)
    return moved


def no_gradient_figure(*, rows: int, dim: int, first: list[int], second: list[int], lr: float) -> Mapping[str, Any]:
    """Read some rows, then another, and see how far the first ones move in the second step, without a gradient."""
    start = torch.randn(rows, dim, generator=torch.Generator().manual_seed(0))
    tables = [torch.nn.Embedding(rows, dim, sparse=sparse) for sparse in (False, False, False, True)]
    with torch.no_grad():
        for table in tables:
            table.weight.copy_(start)
    made = optimizers([table.weight for table in tables], lr=lr)
    moves = {}
    for table, (name, optimizer) in zip(tables, made.items(), strict=True):
        read_step(table, optimizer, torch.tensor(first))
        moves[name] = read_step(table, optimizer, torch.tensor(second))
    without = {name: float(moved[first].max()) for name, moved in moves.items()}
    return {
        "rows": rows,
        "dim": dim,
        "sgd": without["SGD"],
        "momentum": without["SGD with momentum"],
        "adamw": without["AdamW"],
        "sparse": without["SparseAdam"],
        "read": float(moves["AdamW"][second].max()),
        "verdict": no_gradient_verdict(moved=list(without.values())),
        "bars": without,
    }


def no_gradient_verdict(*, moved: list[float]) -> Verdict:
    """True if no optimizer moves a row that has no gradient, false if all of them do."""
    moving = [distance > 0 for distance in moved]
    return "it depends" if any(moving) and not all(moving) else "false" if any(moving) else "true"


def fixed_rows_figure(table: Table, *, limit: int, lr: float, seed: int) -> Mapping[str, Any]:
    """Load the rows into a layer and learn one step of a prediction, with the layer trainable and frozen."""
    ids = np.flatnonzero(np.isfinite(table.norms))[:limit]
    if len(ids) < 2:
        raise UsageError("at least two rows are needed to learn a prediction from them")
    rows = torch.tensor(np.asarray(table.rows[ids], np.float32))
    moved = {}
    for name, freeze in (("trainable", False), ("frozen", True)):
        embed = torch.nn.Embedding(*rows.shape).requires_grad_(not freeze)
        with torch.no_grad():
            embed.weight.copy_(rows)
        head = torch.nn.Linear(table.dim, 2)
        torch.nn.init.normal_(head.weight, generator=torch.Generator().manual_seed(seed))
        labels = torch.arange(len(rows)) % 2
        trained = [each for each in (*embed.parameters(), *head.parameters()) if each.requires_grad]
        optimizer = torch.optim.SGD(trained, lr=lr)
        loss: Any = torch.nn.functional.cross_entropy(head(embed(torch.arange(len(rows)))), labels)
        loss.backward()
        optimizer.step()
        moved[name] = float((embed.weight.detach() != rows).any(1).float().mean())
    return {
        "rows": len(ids),
        **moved,
        "default": torch.nn.Embedding(1, 1).weight.requires_grad,
        "verdict": fixed_rows_verdict(**moved),
        "bars": {"rows that move": moved["trainable"], "rows that move if frozen": moved["frozen"]},
    }


def fixed_rows_verdict(*, trainable: float, frozen: float) -> Verdict:
    """True if no row moves in further training, false if rows move unless they are frozen."""
    if trainable == 0:
        return "true"
    return "false" if frozen == 0 else "it depends"


def root_gradient_figure(*, dim: int, rows: int, lr: float, seed: int) -> Mapping[str, Any]:
    """Compare rows of N(0, 1/d) multiplied by √d with rows of N(0, 1): the vectors are equal, the gradients are not."""
    drawn = torch.Generator().manual_seed(seed)
    start, head = torch.randn(rows, dim, generator=drawn), torch.randn(rows, dim, generator=drawn) / dim**0.5
    ids = torch.arange(rows)
    gradients, steps = {}, {}
    for scale in ("sqrt", None):
        factor = dim**0.5 if scale else 1.0
        for name, optimizer in (("SGD", torch.optim.SGD), ("AdamW", torch.optim.AdamW)):
            table = TokenEmbedding(rows, dim, scale=scale)
            with torch.no_grad():
                table.weight.copy_(start / factor)
            before = table(ids).detach()
            made: Any = optimizer(table.parameters(), lr=lr, weight_decay=0)
            loss: Any = torch.nn.functional.cross_entropy(table(ids) @ head.T, ids.roll(1))
            loss.backward()
            gradients[scale] = float(table.weight.grad.norm()) if table.weight.grad is not None else 0.0
            made.step()
            steps[scale, name] = float((table(ids).detach() - before).norm())
    gradient = gradients["sqrt"] / gradients[None]
    moved = {name: steps["sqrt", name] / steps[None, name] for name in ("SGD", "AdamW")}
    return {
        "dim": dim,
        "root": dim**0.5,
        "gradient": gradient,
        "sgd": moved["SGD"],
        "adamw": moved["AdamW"],
        "verdict": root_gradient_verdict(root=dim**0.5, ratios=[gradient, *moved.values()]),
        "bars": {
            "gradient of the rows, ratio": gradient,
            **{f"step of the vectors, {name}": each for name, each in moved.items()},
        },
    }


def root_gradient_verdict(*, root: float, ratios: list[float]) -> Verdict:
    """True if the factor multiplies the gradient and the steps of both optimizers by √d, within 5%.

    False if it multiplies none of them by that, and it depends otherwise.
    """
    equal = [abs(ratio / root - 1) <= 0.05 for ratio in ratios]
    return "it depends" if any(equal) and not all(equal) else "true" if any(equal) else "false"


no_gradient = partial(no_gradient_figure, rows=6, dim=3, first=[1, 2], second=[4], lr=0.1)
fixed_rows = partial(fixed_rows_figure, limit=2000, lr=0.1, seed=0)
root_gradient = partial(root_gradient_figure, dim=256, rows=200, lr=0.01, seed=0)

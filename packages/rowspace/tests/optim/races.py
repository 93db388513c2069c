"""Training runs of two optimizers side by side, on tables that are small enough for kernels in pure Python."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from rowspace.optim import DeferredAdamW


def changing(step: int, steps: int) -> dict[str, Any]:
    """Warm-up, cosine decay, and values of the other hyperparameters that change on the way."""
    warm_up = steps // 20 + 1
    return {
        "lr": 0.01 * min(1, step / warm_up) * (0.5 + 0.5 * math.cos(math.pi * step / steps)),
        "weight_decay": 0.01 if step < steps // 3 else 0.2,
        "betas": (0.9, 0.999) if step < steps // 2 else (0.8, 0.98),
        "eps": 1e-8 if step < 2 * steps // 3 else 1e-6,
    }


@dataclass
class Race:
    """The same gradients for a dense table with torch's AdamW and a sparse one with the deferred optimizer."""

    size: int = 40
    dim: int = 5
    dtype: torch.dtype = torch.float64
    options: dict[str, Any] = field(default_factory=dict)
    scale: float = 1.0
    peer: Callable[..., torch.optim.Optimizer] = torch.optim.AdamW
    ours: Callable[..., Any] = DeferredAdamW
    sparse_options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = torch.Generator().manual_seed(0)
        rows = torch.randn(self.size, self.dim, generator=self.random, dtype=torch.float64).to(self.dtype)
        self.dense, self.sparse = (
            nn.Embedding.from_pretrained(rows.clone(), freeze=False, sparse=s) for s in (False, True)
        )
        self.dense_optimizer = self.peer(self.dense.parameters(), **self.options)
        self.optimizer = self.ours(self.sparse, **self.options, **self.sparse_options)
        self.taken = 0

    def ids(self) -> Tensor:
        """Ids distributed like words, with duplicates."""
        uniform = torch.rand(4, generator=self.random, dtype=torch.float64)
        return uniform.mul(math.log(self.size)).exp().sub(1).long()

    def backward(self) -> None:
        """One forward and backward pass of both, on the same ids."""
        ids = self.ids()
        upstream = self.scale * torch.randn(len(ids), self.dim, generator=self.random, dtype=torch.float64)
        for table in (self.dense, self.sparse):
            rows = table(ids)
            (rows * upstream.to(rows) + 0.1 * self.scale * rows.square()).sum().backward()

    def run(self, steps: int, settings: Callable[[int, int], dict[str, Any]] = changing) -> "Race":
        """Take steps with hyperparameters that change."""
        for step in range(steps):
            for optimizer in (self.dense_optimizer, self.optimizer):
                known = {name: value for name, value in settings(step, steps).items() if name in optimizer.defaults}
                optimizer.param_groups[0].update(known)
                optimizer.zero_grad()
            self.backward()
            self.dense_optimizer.step()
            self.optimizer.step()
        self.taken += steps
        return self

    @property
    def deviation(self) -> float:
        """The largest difference of the two tables, relative to the largest value."""
        self.optimizer.flush()
        ours, theirs = self.sparse.weight.detach().double(), self.dense.weight.detach().double()
        return float((ours - theirs).abs().max() / theirs.abs().max())

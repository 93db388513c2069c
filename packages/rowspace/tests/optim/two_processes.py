"""Two processes train models with deferred optimizers, in each way that the guide documents; each writes its tables."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, distributed, nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from rowspace.errors import UsageError
from rowspace.layers import TiedHead, TokenEmbedding
from rowspace.optim import DeferredAdamW, DeferredSGD, clip_grad_norm_

STEPS, SIZE, DIM = 10, 30, 4


class Plain(nn.Module):
    """A table and a linear layer."""

    def __init__(self, *, sparse: bool) -> None:
        super().__init__()
        self.table = TokenEmbedding(SIZE, DIM, sparse=sparse)
        self.linear = nn.Linear(DIM, DIM)

    def forward(self, ids: Tensor) -> Tensor:
        """The loss."""
        return self.linear(self.table(ids)).square().mean()


class TwoTables(Plain):
    """Two modules with one table."""

    def __init__(self, *, sparse: bool) -> None:
        super().__init__(sparse=sparse)
        self.second = nn.Embedding(SIZE, DIM, sparse=sparse)
        self.second.weight = self.table.weight

    def forward(self, ids: Tensor) -> Tensor:
        """The loss."""
        return super().forward(ids) + self.second(ids.flip(0)).square().mean()


class WithHead(Plain):
    """A table with a tied head, whose gradient is dense; it is read in some steps only."""

    def __init__(self, *, sparse: bool) -> None:
        super().__init__(sparse=sparse)
        self.head = TiedHead(self.table)

    def forward(self, ids: Tensor) -> Tensor:
        """The loss."""
        loss = super().forward(ids)
        return loss + functional.cross_entropy(self.head(self.table(ids)), ids) if int(ids[0]) % 3 == 0 else loss


class Rarely(Plain):
    """The table is read in some batches only, so that one of the processes has no gradient of it."""

    def forward(self, ids: Tensor) -> Tensor:
        """The loss."""
        return super().forward(ids) if int(ids[0]) % 2 else self.linear(torch.ones(DIM, dtype=torch.float64)).mean()


@dataclass
class Mode:
    """A model, how it is distributed, and what happens to its gradients."""

    model: Callable[..., nn.Module] = Plain
    wrap: str = "ddp"
    optimizer: Callable[..., torch.optim.Optimizer] = DeferredAdamW
    peer: Callable[..., torch.optim.Optimizer] = torch.optim.AdamW
    clip: float | None = None
    max_norm: float | None = None
    batches: int = 1


MODES = {
    "ddp": Mode(),
    "ddp, two tables": Mode(TwoTables),
    "ddp, clipped": Mode(clip=0.05),
    "ddp, max_norm": Mode(max_norm=0.05),
    "ddp, accumulated": Mode(batches=3),
    "ddp, SGD": Mode(optimizer=DeferredSGD, peer=torch.optim.SGD),
    "fsdp": Mode(wrap="fsdp"),
    "fsdp, two tables": Mode(TwoTables, wrap="fsdp"),
    "fsdp, clipped": Mode(wrap="fsdp", clip=0.05),
    "fsdp, max_norm": Mode(wrap="fsdp", max_norm=0.05),
    "fsdp, accumulated": Mode(wrap="fsdp", batches=3),
    "fsdp, tied head": Mode(WithHead, wrap="fsdp"),
    "fsdp, rarely read": Mode(Rarely, wrap="fsdp"),
}


def make_model(make: Callable[..., nn.Module], *, sparse: bool) -> nn.Module:
    """The same model in each process."""
    torch.manual_seed(0)
    return make(sparse=sparse).double()


def batch(step: int, rank: int) -> Tensor:
    """The ids of one process."""
    return torch.randint(SIZE, (3,), generator=torch.Generator().manual_seed(2 * step + rank))


def distribute(model: nn.Module, mode: Mode) -> nn.Module:
    """The model as one of the processes has it."""
    if mode.wrap == "ddp":
        return DistributedDataParallel(model)
    return fully_shard(model, ignored_params={model.table.weight})  # type: ignore[arg-type]  # the table is a module


def train(model: nn.Module, optimizer: torch.optim.Optimizer, mode: Mode, rank: int) -> None:
    """Train in one of the processes."""
    for step in range(STEPS):
        optimizer.zero_grad()
        for index in range(mode.batches):
            model(batch(step * mode.batches + index, rank)).backward()
        if mode.clip is not None:
            clip_grad_norm_(model.parameters(), mode.clip)
        optimizer.step()


def state_of(model: nn.Module) -> dict[str, Tensor]:
    """The whole state, in each process."""
    state = getattr(model, "module", model).state_dict()
    whole = {name: value.full_tensor() if hasattr(value, "full_tensor") else value for name, value in state.items()}
    return {name: value.clone() for name, value in whole.items()}


def refusals(rank: int) -> list[str]:
    """The messages for what cannot work."""
    found = []
    try:
        DeferredAdamW(DistributedDataParallel(make_model(WithHead, sparse=True)))
    except UsageError as error:
        found.append(str(error))
    model = make_model(Plain, sparse=True)
    with torch.no_grad():
        model.table.weight[3] += rank  # type: ignore[operator,union-attr,index]  # the table is a module
    model = distribute(model, Mode(wrap="fsdp"))
    optimizer = DeferredAdamW(model)
    model(batch(0, rank)).backward()
    try:
        optimizer.step()
    except UsageError as error:
        found.append(str(error))
    return found


def main(rank: int, folder: str) -> None:
    """Train each model in one of the two processes."""
    distributed.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2)
    states: dict[str, Tensor] = {}
    for name, mode in MODES.items():
        model = distribute(make_model(mode.model, sparse=True), mode)
        options: dict[str, Any] = {} if mode.max_norm is None else {"max_norm": mode.max_norm}
        train(model, mode.optimizer(model, lr=0.01, **options), mode, rank)
        states |= {f"{name}: {key}": value for key, value in state_of(model).items()}
    messages = dict(enumerate(refusals(rank)))
    save_file(
        states,
        Path(folder, f"{rank}.safetensors"),
        metadata={str(number): message for number, message in messages.items()},
    )
    distributed.destroy_process_group()

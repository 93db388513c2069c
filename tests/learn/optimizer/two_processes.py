"""Two processes train one model with DistributedDataParallel and `DeferredAdamW`; each writes its rows.

python two_processes.py RANK RENDEZVOUS OUTPUT
"""

import sys

import torch
from safetensors.torch import save_file
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from rowspace.layers import TokenEmbedding
from rowspace.learn import DeferredAdamW

STEPS, SIZE, DIM = 25, 30, 4


def make_model(*, sparse: bool) -> nn.Module:
    """The same model in each process."""
    torch.manual_seed(0)
    return nn.Sequential(TokenEmbedding(SIZE, DIM, sparse=sparse), nn.Linear(DIM, 2)).double()


def batch(step: int, rank: int) -> Tensor:
    """The ids of one process."""
    return torch.randint(SIZE, (3,), generator=torch.Generator().manual_seed(2 * step + rank))


def main(rank: int, rendezvous: str, output: str) -> None:
    """Train one of the two copies."""
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
    model = DistributedDataParallel(make_model(sparse=True))
    optimizer = DeferredAdamW(model, lr=0.01)
    for step in range(STEPS):
        optimizer.zero_grad()
        model(batch(step, rank)).square().mean().backward()
        optimizer.step()
    save_file({name: value.clone() for name, value in model.module.state_dict().items()}, output)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])

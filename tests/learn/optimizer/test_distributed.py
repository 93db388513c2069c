"""`DeferredAdamW` with models that are replicated on or distributed over processes."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests.learn.optimizer import two_processes
from torch import distributed, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.learn import DeferredAdamW


@pytest.mark.long
def test_two_processes_equal_one_with_both_batches(tmp_path):
    """With DistributedDataParallel, whose gradient is the mean over the processes."""
    script = Path(two_processes.__file__)
    outputs = [tmp_path / f"{rank}.safetensors" for rank in range(2)]
    running = [
        subprocess.Popen([sys.executable, script, str(rank), tmp_path / "rendezvous", output])
        for rank, output in enumerate(outputs)
    ]
    assert [process.wait() for process in running] == [0, 0]
    model = two_processes.make_model(sparse=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for step in range(two_processes.STEPS):
        optimizer.zero_grad()
        sum(model(two_processes.batch(step, rank)).square().mean() / 2 for rank in range(2)).backward()
        optimizer.step()
    first, second = map(load_file, outputs)
    for name, value in model.state_dict().items():
        assert first[name].equal(second[name])
        assert (first[name] - value).abs().max() < 1e-12


@pytest.fixture
def mesh():
    """A device mesh of this process alone."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    yield distributed.init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


def make_tables():
    torch.manual_seed(0)
    return nn.Sequential(TokenEmbedding(30, 4, sparse=True), nn.Linear(4, 2))


def test_distributed_tables_are_refused(mesh):
    model = make_tables()
    fully_shard(model, mesh=mesh)
    with pytest.raises(UsageError, match=r"table of shape \[30, 4\] is distributed over processes \(a DTensor\)"):
        DeferredAdamW(model)
    table = nn.Embedding(30, 4, sparse=True)
    table.weight = nn.Parameter(distribute_tensor(table.weight.detach(), mesh, [Shard(0)]))
    with pytest.raises(UsageError, match=r"ignored_params=\{table.weight\}"):
        DeferredAdamW(table)


def test_whole_tables_in_a_distributed_model(mesh):
    """The table is whole in each process, and the other parameters are sharded."""
    sharded, plain = make_tables(), make_tables()
    plain[0].sparse = False
    fully_shard(sharded, mesh=mesh, ignored_params={sharded[0].weight})
    assert isinstance(sharded[1].weight, DTensor)
    pairs = (sharded, DeferredAdamW(sharded, lr=0.01)), (plain, torch.optim.AdamW(plain.parameters(), lr=0.01))
    for step in range(10):
        for model, optimizer in pairs:
            optimizer.zero_grad()
            model(two_processes.batch(step, 0)).square().mean().backward()
            optimizer.step()
    state = sharded.state_dict()
    for name, value in plain.state_dict().items():
        found = state[name].full_tensor() if isinstance(state[name], DTensor) else state[name]
        assert (found - value).abs().max() < 1e-6

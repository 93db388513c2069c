"""`DeferredAdamW` with models that are replicated on or distributed over processes."""

from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from tests.forked import run_forked
from tests.optim import two_processes
from torch import distributed, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

from rowspace.errors import UsageError
from rowspace.layers import TokenEmbedding
from rowspace.optim import DeferredAdamW


def reference(mode):
    """The state of one process with the batches of both, whose gradient is the mean over the processes."""
    model = two_processes.make_model(mode.model, sparse=False)
    optimizer = mode.peer(model.parameters(), lr=0.01)
    for step in range(two_processes.STEPS):
        optimizer.zero_grad()
        for index in range(mode.batches):
            number = step * mode.batches + index
            sum(model(two_processes.batch(number, rank)) / 2 for rank in range(2)).backward()
        if mode.clip or mode.max_norm:
            torch.nn.utils.clip_grad_norm_(model.parameters(), mode.clip or mode.max_norm)
        optimizer.step()
    return model.state_dict()


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What both processes wrote."""
    folder = tmp_path_factory.mktemp("processes")
    run_forked(Path(two_processes.__file__), 2, folder)
    return [folder / f"{rank}.safetensors" for rank in range(2)]


def test_two_processes_equal_one_with_both_batches(outputs):
    """In each mode; the table is the same in both processes, bit for bit."""
    first, second = map(load_file, outputs)
    for name, mode in two_processes.MODES.items():
        for key, value in reference(mode).items():
            assert first[f"{name}: {key}"].equal(second[f"{name}: {key}"]), (name, key)
            assert (first[f"{name}: {key}"] - value).abs().max() < 1e-12, (name, key)


def test_what_cannot_work_in_two_processes_is_refused_in_both(outputs):
    for path in outputs:
        with safe_open(path, "pt") as file:
            messages = file.metadata()
        assert "DistributedDataParallel expects a sparse one; build the table with sparse=False" in messages["0"]
        assert "is not the same in all processes at the first step; seed each process equally" in messages["1"]


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
    model[0].sparse = False
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

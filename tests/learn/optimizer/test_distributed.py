"""`DeferredAdamW` under DistributedDataParallel equals AdamW on the mean of the gradients of all processes."""

import subprocess
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from tests.learn.optimizer import two_processes


def test_two_processes_equal_one_with_both_batches(tmp_path):
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

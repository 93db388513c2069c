"""A vocabulary split over two processes: each has half of the rows of the table, of the gradient and of the optimizer.

Two processes learn to predict the next word of the source of `argparse`, with a tied head. Each looks up its rows and
computes the logits of its rows; the loss exchanges three numbers for each token. They save a checkpoint, which one
process with the whole table reads, and which equals what it learns alone.
"""

import argparse
import inspect
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import distributed, nn
from torch.distributed import checkpoint
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

from rowspace.layers import TiedHead, TokenEmbedding, vocabulary_parallel

STEPS, DIM = 20, 32
words = re.findall(r"\w+|[^\w\s]", inspect.getsource(argparse))
vocabulary = sorted(set(words))
ids = torch.tensor([vocabulary.index(word) for word in words[:2001]])


def new_model():
    torch.manual_seed(0)
    tokens = TokenEmbedding(len(vocabulary), DIM)
    return nn.ModuleDict({"tokens": tokens, "body": nn.Linear(DIM, DIM), "head": TiedHead(tokens)})


def learn(model):
    """Take some steps; return the loss of each."""
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=0.01), []
    for _ in range(STEPS):
        optimizer.zero_grad()
        hidden = torch.tanh(model["body"](model["tokens"](ids[:-1])))
        losses.append(model["head"].loss(hidden, ids[1:]))
        losses[-1].backward()
        optimizer.step()
    return [loss.item() for loss in losses]


def one_of_two(rank, folder):
    """What each process runs."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    mesh = distributed.init_device_mesh("cpu", (2,))
    model = vocabulary_parallel(new_model(), mesh)
    losses = learn(model)
    weight = model["tokens"].weight
    print(f"process {rank}: {len(weight.to_local())} of {len(weight)} rows, loss {losses[0]:.4f} → {losses[-1]:.4f}")
    checkpoint.save(model.state_dict(), checkpoint_id=folder / "checkpoint")
    distributed.destroy_process_group()


def main():
    alone, whole = new_model(), new_model()
    losses = learn(alone)
    print(f"one process: {len(vocabulary)} rows, loss {losses[0]:.4f} → {losses[-1]:.4f}")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", __file__]
        processes = [
            subprocess.Popen([*command, str(rank), folder], stdout=subprocess.PIPE)  # noqa: S603  this file
            for rank in range(2)
        ]
        for process in processes:
            print(process.communicate()[0].decode().strip())
            assert process.returncode == 0
        dcp_to_torch_save(Path(folder) / "checkpoint", Path(folder) / "whole.pt")
        whole.load_state_dict(torch.load(Path(folder) / "whole.pt"))
    difference = (whole["tokens"].weight - alone["tokens"].weight).abs().max().item()
    print(f"largest difference of a number after {STEPS} steps: {difference:.1e}")
    assert difference < 1e-3


if __name__ == "__main__":
    if len(sys.argv) == 3:
        one_of_two(int(sys.argv[1]), Path(sys.argv[2]))
    else:
        main()

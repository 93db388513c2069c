"""Benchmark of a vocabulary split over processes, forward and backward, against torch's `loss_parallel`.

    scripts/bench parallel                               N = 2048, V = 64128, d = 256, 1 and 2 processes on a CPU
    scripts/bench parallel --rows 256 --num-embeddings 8000 --times 1 --rounds 1    a smaller run

Prints Markdown. Both sides have the same model: a table, a linear layer, and a tied head with its loss. torch's is
`nn.Embedding` with `RowwiseParallel`, `F.linear` on its `DTensor`, and `F.cross_entropy` in `loss_parallel()`. `loss`
measures the head and the loss from hidden states, `step` also the lookup and the linear layer. Each side runs in
separate processes with one thread each, alternately, `--rounds` times; each process warms up once and then measures
`--times` calls. Seconds are those of the processor, of one process. Memory is the peak of a process, with Python, torch
and the table. Bytes are what a process passes to `all_reduce`. Both sides must give the same loss and gradients.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

SIDES = ("rowspace", "loss_parallel")
PARTS = ("loss", "step")


def megabytes(field):
    """Return a field of /proc/self/status in MB; `getrusage` would include the parent process."""
    return int(re.search(field + r":\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1e3


def build(side, job, mesh):
    """Return the table, the linear layer, and a function from hidden states and targets to the loss."""
    from torch import nn
    from torch.distributed.tensor import DTensor, Replicate
    from torch.distributed.tensor.parallel import RowwiseParallel, parallelize_module

    from rowspace.layers import TiedHead, TokenEmbedding, vocabulary_parallel

    make = TokenEmbedding if side == "rowspace" else nn.Embedding
    model = nn.ModuleDict({"tokens": make(job["num_embeddings"], job["embedding_dim"])})
    nn.init.normal_(model["tokens"].weight, std=0.02)
    model["body"] = nn.Linear(job["embedding_dim"], job["embedding_dim"])
    if side == "rowspace":
        model["head"] = TiedHead(model["tokens"])
        vocabulary_parallel(model, mesh)
        return model["tokens"], model["body"], model["head"].loss
    parallelize_module(model, mesh, {"tokens": RowwiseParallel(input_layouts=Replicate())})

    def loss_of(hidden, targets):
        hidden, targets = (DTensor.from_local(part, mesh, [Replicate()]) for part in (hidden, targets))
        return nn.functional.cross_entropy(nn.functional.linear(hidden, model["tokens"].weight), targets).to_local()

    return model["tokens"], model["body"], loss_of


def count_bytes(distributed):
    """Return a list to which the bytes of each `all_reduce` are appended."""
    counted, reduce = [], distributed.all_reduce

    def counting(tensor, *arguments, **options):
        counted.append(tensor.numel() * tensor.element_size())
        return reduce(tensor, *arguments, **options)

    distributed.all_reduce = counting
    return counted


def measure(job, rank, rendezvous):
    """Measure one process: seconds of each call, peak memory, bytes and results."""
    import torch
    from torch import distributed
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor.parallel import loss_parallel

    torch.set_num_threads(1)
    sent = count_bytes(distributed)
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=job["processes"])
    mesh = distributed.init_device_mesh("cpu", (job["processes"],))
    torch.manual_seed(0)
    table, body, loss_of = build(job["side"], job, mesh)
    ids, targets = torch.randint(job["num_embeddings"], (2, job["rows"]))
    hidden = torch.randn(job["rows"], job["embedding_dim"])

    def call():
        table.weight.grad = body.weight.grad = None
        states = torch.tanh(body(table(ids))) if job["part"] == "step" else hidden.clone().requires_grad_()
        with loss_parallel():
            loss = loss_of(states, targets)
            loss.backward()
        return loss, body.weight.grad if job["part"] == "step" else states.grad

    call()
    worked = []
    for _ in range(job["times"]):
        sent.clear()
        distributed.barrier()
        began = time.process_time()
        loss, other = call()
        worked.append(time.process_time() - began)
    peak, total = megabytes("VmHWM"), sum(sent)
    gradient = table.weight.grad
    gradient = gradient.full_tensor() if isinstance(gradient, DTensor) else gradient
    answer = [loss.item(), gradient.norm().item(), other.norm().item()]
    distributed.barrier()
    distributed.destroy_process_group()
    return {"worked": worked, "megabytes": peak, "bytes": total, "answer": answer}


def run(job):
    """Return the result of the first of `job["processes"]` processes, with the largest peak of all."""
    with tempfile.TemporaryDirectory() as folder:
        commands = [
            [
                sys.executable,
                "-W",
                "ignore",
                __file__,
                "--job",
                json.dumps(job),
                "--rank",
                str(rank),
                "--folder",
                folder,
            ]
            for rank in range(job["processes"])
        ]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
        results = [json.loads(process.communicate()[0]) for process in started]
    return results[0] | {"megabytes": max(result["megabytes"] for result in results)}


def compare(job, rounds):
    """Return the results of both sides, in turn."""
    results = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side in SIDES:
            results[side].append(run(job | {"side": side}))
            print(
                f"<!-- {job['part']}, {job['processes']}: {side}: {results[side][-1]} -->", file=sys.stderr, flush=True
            )
    answers = [result["answer"] for each in results.values() for result in each]
    for column in zip(*answers, strict=True):
        if max(column) - min(column) > 1e-4 * abs(max(column)):
            raise SystemExit(f"the sides gave different answers, so the figures mean nothing: {answers}")
    return results


def row(job, results):
    """Print one row: seconds, memory and bytes of both sides, with the ratios of medians and of peaks."""
    seconds = {side: [value for result in each for value in result["worked"]] for side, each in results.items()}
    ours, theirs = (statistics.median(seconds[side]) for side in SIDES)
    pairs = [
        statistics.median(one["worked"]) / statistics.median(other["worked"])
        for one, other in zip(*results.values(), strict=True)
    ]
    peaks = [max(result["megabytes"] for result in results[side]) for side in SIDES]
    rows, dim = job["rows"], job["embedding_dim"]
    bound = ((2 if job["part"] == "step" else 1) * rows * dim + 4 * rows) * 4
    print(
        f"| {job['part']} | {job['processes']} | {ours:.2f} | {theirs:.2f} | **{ours / theirs:.2f}×** "
        f"({min(pairs):.2f}–{max(pairs):.2f}) | {peaks[0]:.0f} | {peaks[1]:.0f} | **{peaks[0] / peaks[1]:.2f}×** | "
        f"{results['rowspace'][0]['bytes'] / 1e6:.3f} of {bound / 1e6:.3f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2048, help="N")
    parser.add_argument("--num-embeddings", type=int, default=64128, help="V")
    parser.add_argument("--embedding-dim", type=int, default=256, help="d")
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2], help="numbers of processes")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), help="what to measure")
    parser.add_argument("--times", type=int, default=3, help="calls measured in each process")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--job", type=json.loads, help=argparse.SUPPRESS)
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(measure(options.job, options.rank, Path(options.folder, "rendezvous"))))
        return
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "torch"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}, gloo, 1 thread a process; N = {options.rows}, V = {options.num_embeddings}, d = "
          f"{options.embedding_dim}, float32; {options.times} calls in each of {options.rounds} runs\n")  # fmt: skip
    print(
        "| part | processes | rowspace, s | loss_parallel, s | ratio (of runs) | rowspace, MB | loss_parallel, MB | "
        "ratio | MB sent, of the bound |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    shared = {name: getattr(options, name) for name in ("rows", "num_embeddings", "embedding_dim", "times")}
    for part in options.parts:
        for processes in options.processes:
            job = shared | {"part": part, "processes": processes}
            row(job, compare(job, options.rounds))


if __name__ == "__main__":
    main()

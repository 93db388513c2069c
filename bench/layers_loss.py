"""Benchmark of losses from hidden states and their gradients, against torch's `F.linear_cross_entropy` and all logits.

    python bench/layers_loss.py                         N = 2048, V = 50257, d = 768, and again with 85 % ignored
    python bench/layers_loss.py --rows 512 --times 3    a smaller run
    python bench/layers_loss.py --task log_probs        log-probabilities and entropies; also kl_divergence

Prints Markdown. Every implementation runs in separate processes, alternately, `--rounds` times; each process warms up
once and then measures `--times` calls. Peak memory is the growth after weight and hidden states were allocated:
gradients, logits and everything else. CPU seconds are summed over all threads; they are less affected by other programs
than wall time. All implementations must give the same loss and gradient.
"""

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

CHUNKS = (256, 512, 1024)
WAYS = ("rowspace", "options=None", "options=LinearCrossEntropyOptions()", *(f"batch_chunk_size={n}" for n in CHUNKS))
ALL_LOGITS = ("rowspace", "all logits")
TASKS = {"loss": WAYS, "log_probs": ALL_LOGITS, "kl_divergence": ALL_LOGITS}


def compared(task, way, hidden, weight, targets):
    """Compute log-probabilities and entropies, or a divergence from a teacher of half the width, summed up."""
    import torch
    from torch.nn import functional

    from rowspace.layers import UntiedHead

    width = weight.shape[1] // 2
    teacher = UntiedHead(width, len(weight), device="meta")
    teacher.weight = torch.nn.Parameter(weight.detach()[:, :width] * 3)
    states = hidden.detach()[:, :width]
    head = UntiedHead(*weight.shape[::-1], device="meta")
    head.weight = weight
    if way == "rowspace":
        if task == "kl_divergence":
            return head.kl_divergence(hidden, teacher, states)
        found = head.log_probs(hidden, targets)
        return found.log_probs.mean() + 0.1 * found.entropy.mean()
    every = functional.linear(hidden, weight).log_softmax(-1)
    if task == "kl_divergence":
        target = functional.linear(states, teacher.weight.detach()).log_softmax(-1)
        return functional.kl_div(every, target, log_target=True, reduction="batchmean")
    return every.gather(1, targets.unsqueeze(1)).mean() - 0.1 * (every.exp() * every).sum(-1).mean()


def loss_of(way, hidden, weight, targets, task="loss"):
    """Compute the loss with one of the implementations."""
    from torch.nn import LinearCrossEntropyOptions, functional

    if task != "loss":
        return compared(task, way, hidden, weight, targets)
    if way == "rowspace":
        from rowspace.layers import cross_entropy

        return cross_entropy(hidden, weight, targets)
    chunk = re.fullmatch(r"batch_chunk_size=(\d+)", way)
    options = LinearCrossEntropyOptions(batch_chunk_size=int(chunk[1])) if chunk else LinearCrossEntropyOptions()
    options = None if way == "options=None" else options
    return functional.linear_cross_entropy(hidden, weight, targets, options=options)


def megabytes(field):
    """Return a field of /proc/self/status in MB; `getrusage` would include the parent process."""
    return int(re.search(field + r":\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1e3


def measure(way, job):
    """Measure one process: seconds of each call, memory growth, and results."""
    import torch

    torch.set_num_threads(job["threads"])
    torch.manual_seed(0)
    weight = torch.nn.Parameter(torch.randn(job["num_embeddings"], job["embedding_dim"]) * 0.02)
    hidden = torch.randn(job["rows"], job["embedding_dim"]).requires_grad_()
    targets = torch.randint(0, job["num_embeddings"], (job["rows"],))
    targets[: int(job["rows"] * job["ignored"])] = -100
    targets = targets[torch.randperm(job["rows"])]
    warm = torch.nn.Parameter(weight.detach()[:9])
    loss_of(way, hidden[:2], warm, targets[:2].clamp(max=8), job["task"])  # warm-up: imports
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current memory
    before, seconds, worked = megabytes("VmRSS"), [], []
    for _ in range(job["times"] + 1):
        weight.grad = hidden.grad = None
        began, work_began = time.perf_counter(), time.process_time()
        loss = loss_of(way, hidden, weight, targets, job["task"])
        loss.backward()
        seconds.append(time.perf_counter() - began)
        worked.append(time.process_time() - work_began)
    answer = [loss.item(), weight.grad.norm().item(), hidden.grad.norm().item()]
    grown = megabytes("VmHWM") - before
    return {"seconds": seconds[1:], "worked": worked[1:], "megabytes": grown, "answer": answer}


def in_turn(job, rounds):
    """Return the results of each implementation from `rounds` processes."""
    ways = TASKS[job["task"]]
    results = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            command = [sys.executable, __file__, "--way", way, "--job", json.dumps(job)]
            result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
            results[way].append(result)
            print(f"<!-- {way}: {min(result['seconds']):.2f} s at best -->", file=sys.stderr, flush=True)
    return results


def same(results):
    """Exit if two implementations differ by more than rounding."""
    answers = [result["answer"] for each in results.values() for result in each]
    for column in zip(*answers, strict=True):
        if max(column) - min(column) > 1e-4 * abs(max(column)):
            raise SystemExit("the ways gave different answers: the figures mean nothing")


def table(results):
    """Print one row per implementation, with the ratios of its medians to rowspace's."""
    print(
        "| way | s by the clock, median (fastest–slowest) | of rowspace's | s of the processor | of rowspace's | MB |"
    )
    print("|---|---|---|---|---|---|")
    ours = {}
    for way, each in results.items():
        cells = []
        for kind in ("seconds", "worked"):
            values = sorted(value for result in each for value in result[kind])
            middle = statistics.median(values)
            ours.setdefault(kind, middle)
            cells.append(f"{middle:.2f} ({values[0]:.2f}–{values[-1]:.2f}) | {middle / ours[kind]:.2f}×")
        print(f"| {way} | {' | '.join(cells)} | {max(result['megabytes'] for result in each):.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=TASKS, default="loss")
    parser.add_argument("--rows", type=int, default=2048, help="N")
    parser.add_argument("--num-embeddings", type=int, default=50257, help="V")
    parser.add_argument("--embedding-dim", type=int, default=768, help="d")
    parser.add_argument("--ignored", type=float, nargs="*", default=[0.0, 0.85], help="shares of the targets to ignore")
    parser.add_argument("--threads", type=int, default=2, help="of torch")
    parser.add_argument("--times", type=int, default=3, help="calls measured in each process")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each way")
    parser.add_argument("--way", choices=(*WAYS, *ALL_LOGITS), help=argparse.SUPPRESS)
    parser.add_argument("--job", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options.way, options.job)))
        return
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "torch"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}, {options.threads} threads; N = {options.rows}, V = {options.num_embeddings}, d = "
          f"{options.embedding_dim}, float32; {options.times} calls in each of {options.rounds} processes")  # fmt: skip
    shared = {
        name: getattr(options, name) for name in ("task", "rows", "num_embeddings", "embedding_dim", "threads", "times")
    }
    for share in options.ignored if options.task == "loss" else [0.0]:
        results = in_turn({**shared, "ignored": share}, options.rounds)
        same(results)
        print(f"\nforward + backward, {share:.0%} of the targets ignored\n")
        table(results)


if __name__ == "__main__":
    main()

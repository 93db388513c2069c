"""Benchmark of the deferred optimizer, compared with torch's optimizers in the same run; prints Markdown.

    python bench/deferred.py                   all, at the sizes of the targets
    python bench/deferred.py --only uniform    those with uniform in the name
    python bench/deferred.py --device cuda     on a GPU

A step is forward, backward and the optimizer's step of one table. All sides get the same ids and the same gradient of
the rows that were looked up, in turn; before, the rows of a small table after 50 steps are compared. The figures are
those after `--warm` steps, when most rows are some steps behind. The processor time is that of all threads, which other
work on the machine changes less than the time of a step; it includes threads of torch that wait.
"""

import argparse
import math
import os
import platform
import statistics
import time
from importlib.metadata import version

import torch
from torch import nn

from rowspace.layers import TokenEmbedding
from rowspace.optim import DeferredAdamW


def draw(size, count, spread):
    """Return ids, uniform or distributed like words: uniform in the logarithm of their rank."""
    if spread == "uniform":
        return torch.randint(size, (count,))
    return torch.rand(count, dtype=torch.float64).mul(math.log(size)).exp().sub(1).long()


def wait_for_device():
    if torch.get_default_device().type == "cuda":
        torch.cuda.synchronize()


class Side:
    """A table and its optimizer."""

    def __init__(self, name, table, optimizer):
        self.name, self.table, self.optimizer = name, table, optimizer

    def step(self, ids, upstream):
        """Take one step and return its seconds and those of all threads, without `zero_grad`."""
        self.optimizer.zero_grad(set_to_none=True)
        wait_for_device()
        began, busy = time.perf_counter(), time.process_time()
        self.table(ids).backward(upstream)
        self.optimizer.step()
        wait_for_device()
        return time.perf_counter() - began, time.process_time() - busy


def fused(size, dim):
    table = nn.Embedding(size, dim)
    return Side("AdamW(fused=True)", table, torch.optim.AdamW(table.parameters(), fused=True))


def sparse_adam(size, dim):
    table = nn.Embedding(size, dim, sparse=True)
    return Side("SparseAdam", table, torch.optim.SparseAdam(table.parameters()))


def deferred(size, dim, make=nn.Embedding):
    table = make(size, dim, sparse=True)
    return Side(f"DeferredAdamW, {make.__name__}", table, DeferredAdamW(table))


def require_equal_rows():
    """Stop unless the deferred optimizer gives the rows of AdamW on a smaller table."""
    ours, theirs = deferred(2000, 64), fused(2000, 64)
    theirs.table.load_state_dict(ours.table.state_dict())
    for _ in range(50):
        ids, upstream = draw(2000, 64, "zipf"), torch.randn(64, 64)
        ours.step(ids, upstream), theirs.step(ids, upstream)
    ours.optimizer.flush()
    if not torch.allclose(ours.table.weight, theirs.table.weight, rtol=0, atol=5e-5):
        raise SystemExit("the two sides gave different rows: the figures mean nothing")


def against_peers(options, spread):
    """All sides in turn on the same ids."""
    ours = [deferred(options.size, options.dim), deferred(options.size, options.dim, TokenEmbedding)]
    upstream = 1e-3 * torch.randn(options.ids, options.dim)
    for _ in range(options.warm):
        ids = draw(options.size, options.ids, spread)
        for side in ours:
            side.step(ids, upstream)
    peers = [fused(options.size, options.dim), sparse_adam(options.size, options.dim)]
    sides, seconds, unique = [*ours, *peers], [], []
    for turn in range(options.times + 2):
        ids = draw(options.size, options.ids, spread)
        taken = {}
        for side in sides[turn % len(sides) :] + sides[: turn % len(sides)]:  # what one leaves behind meets all others
            taken[side.name] = side.step(ids, upstream)
        row = [taken[side.name] for side in sides]
        if turn >= 2:  # the first steps of the peers allocate
            seconds.append(row)
            unique.append(len(ids.unique()))
    print(f"\n{spread} ids, {options.ids} in a step, {statistics.median(unique)} unique rows; "
          f"{options.size} × {options.dim}\n")  # fmt: skip
    print("| optimizer | step, ms | processor, ms | over nn.Embedding, deferred | over TokenEmbedding, deferred |")
    print("|---|---|---|---|---|")
    for place, side in enumerate(sides):
        ratios = [[row[place][0] / row[own][0] for row in seconds] for own in (0, 1)]
        shown = [f"{statistics.median(r):.1f}× ({min(r):.1f}–{max(r):.1f})" for r in ratios]
        wall, processor = (1e3 * statistics.median(row[place][kind] for row in seconds) for kind in (0, 1))
        print(f"| {side.name} | {wall:.1f} | {processor:.1f} | {' | '.join(shown)} |", flush=True)


def uniform(options):
    against_peers(options, "uniform")


def zipf(options):
    against_peers(options, "zipf")


def scaling(options):
    """Cost of a `TokenEmbedding` against the size of the table and against the number of ids."""
    print("\n| V | ids in a step | step, ms | processor, ms |\n|---|---|---|---|")
    for size, count in [(16_384, 4096), (131_072, 4096), (1_048_576, 4096), (131_072, 1024), (131_072, 16_384)]:
        side = deferred(size, 256, TokenEmbedding)
        upstream = 1e-3 * torch.randn(count, 256)
        seconds = [side.step(draw(size, count, "uniform"), upstream) for _ in range(options.warm + options.times)]
        wall, processor = (1e3 * statistics.median(column) for column in zip(*seconds[options.warm :], strict=True))
        print(f"| {size} | {count} | {wall:.1f} | {processor:.1f} |", flush=True)


BENCHMARKS = (uniform, zipf, scaling)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128_256, help="rows of the table")
    parser.add_argument("--dim", type=int, default=1024, help="length of a row")
    parser.add_argument("--ids", type=int, default=4096, help="ids in a step")
    parser.add_argument("--warm", type=int, default=200, help="steps before the measured ones")
    parser.add_argument("--times", type=int, default=15, help="measured steps of each side")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch and of the kernels")
    parser.add_argument("--only", default="", help="run only benchmarks with this in their name")
    parser.add_argument("--device", default="cpu", help="where the tables are: cpu or cuda")
    options = parser.parse_args()
    torch.set_default_device(options.device)
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    machine = (
        torch.cuda.get_device_name()
        if options.device == "cuda"
        else f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, {options.threads} threads"
    )
    print(f"{machine}, Python {platform.python_version()}, torch {version('torch')}; medians of {options.times} steps")
    require_equal_rows()
    for benchmark in BENCHMARKS:
        if options.only in benchmark.__name__:
            benchmark(options)


if __name__ == "__main__":
    main()

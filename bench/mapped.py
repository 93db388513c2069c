"""Benchmark of `MappedEmbedding` on a sparse file of 40 GB: rows per second cold, prefetched and warm, and a step.

    python bench/mapped.py            10,000,000 rows of 1,024 float32; the file takes no space until rows are written

A cold lookup follows after the system has dropped the file from memory. Holes of a sparse file are read without the
disk, so that these figures are those of the software; a disk adds its own time.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

ROWS, DIM, BATCH = 10_000_000, 1024, 16_384


def rate(work):
    """Rows per second of a call for one batch."""
    began = time.perf_counter()
    work()
    return BATCH / (time.perf_counter() - began)


def drop(path):
    """Let the system forget what it has in memory of a file."""
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the file is made")
    options = parser.parse_args()
    import torch

    from rowspace.layers import MappedEmbedding
    from rowspace.optim import DeferredAdamW

    torch.set_num_threads(1)
    path = Path(options.folder) / "rowspace-bench-mapped.safetensors"
    path.unlink(missing_ok=True)
    try:
        table = MappedEmbedding.create(path, ROWS, DIM)
        ids = [torch.randint(ROWS, (BATCH,)) for _ in range(3)]
        size = path.stat().st_size / 1e9
        print(f"{ROWS:,} rows of {DIM} float32, {size:.0f} GB; {BATCH:,} in random order, one thread\n")
        print("| | rows/s |\n|---|---|")
        with torch.no_grad():
            drop(path)
            print(f"| cold | {rate(lambda: table(ids[0])):,.0f} |")
            print(f"| the same, warm | {rate(lambda: table(ids[0])):,.0f} |")
            began = time.perf_counter()
            table.prefetch(ids[1])
            seconds = time.perf_counter() - began
            time.sleep(1)  # a step of a model
            print(f"| prefetched ({seconds:.2f} s) | {rate(lambda: table(ids[1])):,.0f} |")
        optimizer = DeferredAdamW(table, lr=0.01, weight_decay=0.0)
        for name in ("first step, with lookup and gradient", "second step"):

            def step():
                optimizer.zero_grad()
                table(ids[2]).sum().backward()
                optimizer.step()

            print(f"| {name} | {rate(step):,.0f} |")
        print(f"\nThe file takes {path.stat().st_blocks * 512 / 1e6:,.0f} MB after the steps.")
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()

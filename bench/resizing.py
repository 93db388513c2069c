"""Benchmark of `resize` against `resize_token_embeddings` of transformers, on a GPT-2 with a table of 128,000 x 1024.

    python bench/resizing.py

Each way adds 64 rows in a process of its own, three times, alternately; prints seconds of the clock and of the
processor, and the memory at its peak in addition to the model, in tables of 524 MB.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

ROWS, DIM, NEW = 128_000, 1024, 64
WAYS = ("rowspace", "transformers", "transformers, mean_resizing=False")


def megabytes(field):
    """Return a field of /proc/self/status in MB."""
    return int(re.search(field + r":\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1e3


def measure(way):
    """Resize the table of a new model in one of the ways."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from rowspace.layers import TokenEmbedding, resize

    torch.set_num_threads(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=ROWS, n_embd=DIM, n_layer=1, n_head=4))
    resize(TokenEmbedding(10, 4), 12)  # imports
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak to the current memory
    before, began, worked = megabytes("VmRSS"), time.perf_counter(), time.process_time()
    if way == "rowspace":
        resize(model.transformer.wte, ROWS + NEW, heads=[model.lm_head])
    else:
        model.resize_token_embeddings(ROWS + NEW, mean_resizing=way == "transformers")
    seconds, work = time.perf_counter() - began, time.process_time() - worked
    tables = (megabytes("VmHWM") - before) / (ROWS * DIM * 4 / 1e6)
    print(f"| {way} | {seconds:.2f} | {work:.2f} | {tables:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        measure(options.way)
        return
    print("| way | s by the clock | s of the processor | tables of memory |\n|---|---|---|---|", flush=True)
    for way in WAYS * 3:
        subprocess.run([sys.executable, "-W", "ignore", __file__, "--way", way], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()

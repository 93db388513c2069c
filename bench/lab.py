"""Benchmarks of the workbench's server in separate processes; prints Markdown.

    python bench/lab.py                 all, at the sizes of the targets
    python bench/lab.py --scale 0.1     a tenth of the rows

Rows and tokens are random, which does not affect time and memory. Neighbors are requested over the network, as a page
does, and compared with NumPy in this process with precomputed norms; both must return the same tokens. Drawing in the
browser is measured by bench/map.py.
"""

import argparse
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

import httpx
import numpy as np

from files import random_table, require


class Server:
    """A running `rowspace lab` on a saved table."""

    def __init__(self, path):
        self.began = time.perf_counter()
        command = [sys.executable, "-m", "rowspace", "lab", str(path), "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        base, _, token = self.url.partition("?token=")
        known = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=base, headers=known, timeout=600, follow_redirects=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()
        with self.process:
            self.process.terminate()

    def open(self):
        """Load the first page as a browser does, up to its first response; return the seconds since the start."""
        page = self.client.get(self.url).raise_for_status()
        for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text):
            self.client.get(path).raise_for_status()
        self.ask("words/neighbors")
        return time.perf_counter() - self.began

    def ask(self, path, **parameters):
        """Return the response to an API request."""
        from rowspace_lab.server.reply import decode

        return decode(self.client.get(f"/api/{path}", params=parameters).raise_for_status().content)

    def memory(self):
        """Return the anonymous resident memory now and the peak including file pages, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return [int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024 for name in ("RssAnon", "VmHWM")]


def saved(folder, size, dim):
    path = Path(folder, f"{size}x{dim}")
    random_table(size, dim).save(path)
    return path


def opening(folder, options):
    """Measure start to first content, without the first start, which may compile kernels."""
    size = int(50_000 * options.scale)
    path = saved(folder, size, 100)
    seconds = []
    for _ in range(options.times + 1):
        with Server(path) as server:
            seconds.append(server.open())
            memory = server.memory()
    print(f"| server start to first content, {size} × 100 | {summary(seconds[1:])} s | ≤ 2 s |", flush=True)
    print(f"| memory of that server, anonymous and peak | {memory[0]:.0f} and {memory[1]:.0f} MB | |", flush=True)


def neighbors(folder, options):
    """Measure ten cosine neighbors of different words each time, over the network and with NumPy."""
    size = int(128_256 * options.scale)
    path = saved(folder, size, 1024)
    ours, theirs = [], []
    with Server(path) as server:
        from rowspace.store import load

        table = load(path)
        rows, norms = np.array(table.rows), np.linalg.norm(table.rows, axis=1)
        began = time.perf_counter()
        server.ask("words/neighbors", word=table.vocabulary[0])
        first = time.perf_counter() - began
        for number in np.linspace(1, size - 1, options.times * 5).astype(int):
            word = table.vocabulary[number]
            began = time.perf_counter()
            reply = server.ask("words/neighbors", word=word)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            found = nearest(rows, norms, number)
            theirs.append(time.perf_counter() - began)
            require(reply.arrays["ids"].tolist() == found.tolist())
        memory = server.memory()
    ours, theirs = ([1e3 * second for second in side] for side in (ours, theirs))
    print(f"| neighbors among {size} × 1024, over the network | {summary(ours)} ms | ≤ 150 ms |", flush=True)
    print(f"| the same with NumPy, in one process | {summary(theirs)} ms | |", flush=True)
    print(f"| the first request, which computes norms | {1e3 * first:.0f} ms | |", flush=True)
    print(f"| memory of that server, anonymous and peak | {memory[0]:.0f} and {memory[1]:.0f} MB | |", flush=True)


def nearest(rows, norms, number):
    scores = rows @ rows[number] / norms
    scores[number] = -np.inf
    best = np.argpartition(-scores, 10)[:10]
    return best[np.argsort(-scores[best])]


def summary(figures):
    digits = 0 if min(figures) > 20 else 2
    return f"{statistics.median(figures):.{digits}f} ({min(figures):.{digits}f}–{max(figures):.{digits}f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rows")
    parser.add_argument("--times", type=int, default=5, help="starts; five times as many requests")
    options = parser.parse_args()
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "starlette", "uvicorn", "numpy", "numba"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}; medians of {options.times} starts and {5 * options.times} questions\n")  # fmt: skip
    print("| operation | median (minimum–maximum) | target |\n|---|---|---|")
    for benchmark in (opening, neighbors):
        with tempfile.TemporaryDirectory() as folder:
            benchmark(folder, options)


if __name__ == "__main__":
    main()

"""Time, memory and quality of `rowspace.fit_graph` beside PecanPy and node2vec; prints Markdown for bench/RESULTS.md.

    scripts/bench graph                     1,000,000 edges
    scripts/bench graph --edges 100000 --peers PecanPy node2vec

The peers need numpy < 2, so they have an environment of their own, `build/graph-peers`, which is made once (with pip).
All sides read the same edge list and run in turn, each in its own process, with the same options: 10 walks of 40 nodes
from each node, d = 128, window 5, 5 negatives, one epoch. PecanPy's mode is `FirstOrderUnweighted` if p and q are 1,
and else `SparseOTF`; its walking includes compiling, which it repeats for each graph. node2vec computes the
probabilities of all transitions first, which is part of its walking.

The graph has a tenth as many nodes as edges, in blocks of about 200. An edge joins a node, drawn by a weight of
(rank + 10) ** -0.5, with another that is drawn likewise, in seven of ten cases from its block. 10,000 more edges, which
no side sees, measure quality: the chance that such an edge has a larger cosine than a random pair of nodes (AUC).
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import version
from pathlib import Path

import numpy as np

PEERS = ("numpy<2", "pecanpy==2.0.9", "node2vec==0.5.0", "gensim==4.4.0")
ENVIRONMENT = Path(__file__).parents[1] / "build" / "graph-peers"
BLOCK, IN_BLOCK, HELD_OUT = 200, 0.7, 10_000
OPTIONS = {"dim": 128, "walks": 10, "length": 40, "window": 5}


def peers_python():
    """Return the Python of the peers' environment, which is made if it is missing."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return python


def make_edges(nodes, edges, generator):
    """Return distinct edges between different nodes, (edges, 2), in random order; every node has one at least."""
    order = generator.permutation(nodes)
    weights = np.empty(nodes)
    weights[order] = (np.arange(nodes) + 10.0) ** -0.5
    ends = np.cumsum(weights)
    blocks = np.arange(nodes) * max(1, nodes // BLOCK) // nodes
    firsts = np.searchsorted(blocks, np.arange(blocks[-1] + 2))
    bounds = np.concatenate([[0.0], ends])[firsts]
    found = np.zeros((0, 2), np.int64)
    while len(found) < edges:
        sources = np.searchsorted(ends, generator.random(edges) * ends[-1])
        sources[:nodes] = np.arange(nodes)
        low, high = bounds[blocks[sources]], bounds[blocks[sources] + 1]
        inside = generator.random(edges) < IN_BLOCK
        low, high = np.where(inside, low, 0.0), np.where(inside, high, ends[-1])
        targets = np.searchsorted(ends, low + generator.random(edges) * (high - low)).clip(0, nodes - 1)
        pairs = np.sort(np.stack([sources, targets], axis=1)[sources != targets], axis=1)
        found = np.unique(np.concatenate([found, pairs]), axis=0)
    must = np.unique(found[:, 0], return_index=True)[1]  # an edge of each node that comes first in one
    rest = generator.permutation(np.setdiff1d(np.arange(len(found)), must))
    return generator.permutation(found[np.concatenate([must, rest])[:edges]])


def auc(rows, hidden, generator):
    """Return the chance that a hidden edge has a larger cosine than a random pair."""
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    random = generator.integers(0, len(rows), (len(hidden), 2))
    true, false = ((units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1) for pairs in (hidden, random))
    return (np.searchsorted(np.sort(false), true) / len(false)).mean()


def run_side(side, job):
    python = sys.executable if side == "rowspace" else peers_python()
    script = Path(__file__).with_name("graph_side.py")
    done = subprocess.run([python, script, side, json.dumps(job)], check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def compare(peer, job, hidden, times):
    """Run both sides in turn and print a row for each."""
    results = {"rowspace": [], peer: []}
    for seed in range(1, times + 1):
        for side, found in results.items():
            result = run_side(side, job | {"seed": seed})
            result["auc"] = auc(np.load(job["rows"]), hidden, np.random.default_rng(0))
            print(f"<!-- {side} seed {seed}: {json.dumps(result)} -->", file=sys.stderr, flush=True)
            found.append(result)
    for side, found in results.items():
        steps = " | ".join(
            f"{statistics.median(each[name] for each in found):.1f}"
            for name in ("reading", "walking", "learning", "whole")
        )
        memory, quality = (statistics.median(each[name] for each in found) for name in ("peak_mb", "auc"))
        ratios = [theirs["whole"] / ours["whole"] for theirs, ours in zip(found, results["rowspace"], strict=True)]
        spread = f"{statistics.median(ratios):.1f}× ({min(ratios):.1f}–{max(ratios):.1f})"
        print(
            f"| {job['p']:g}, {job['q']:g} | {side} | {steps} | {spread} | {memory:,.0f} | {quality:.3f} |", flush=True
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--peers", nargs="+", default=["PecanPy"], choices=["PecanPy", "node2vec"])
    parser.add_argument("--biases", nargs="+", default=["1,1", "0.5,2"], help="p,q")
    options = parser.parse_args()
    nodes = options.edges // 10
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "numpy", "numba"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}; peers: {', '.join(PEERS)}; {nodes:,} nodes, {options.edges:,} edges, {options.workers} "
          "threads\n")  # fmt: skip
    generator = np.random.default_rng(0)
    edges = make_edges(nodes, options.edges + HELD_OUT, generator)
    shown, hidden = edges[HELD_OUT:], edges[:HELD_OUT]
    hidden = hidden[np.isin(hidden, np.unique(shown)).all(axis=1)]
    print("| p, q | side | reading, s | walking, s | learning, s | whole, s | whole / rowspace | peak MB | AUC |\n"
          "|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: str(Path(folder, name)) for name in ("edges.txt", "rows.npy")}
        numbers = {node: place for place, node in enumerate(np.unique(shown).tolist())}
        renumber = np.vectorize(numbers.__getitem__, otypes=[np.int64])
        shown, hidden = renumber(shown), renumber(hidden)
        np.savetxt(paths["edges.txt"], shown, "%d")
        job = {"edges": paths["edges.txt"], "rows": paths["rows.npy"]}
        job |= OPTIONS | {"nodes": len(numbers), "workers": options.workers}
        for peer in options.peers:
            for bias in options.biases:
                p, q = map(float, bias.split(","))
                compare(peer, job | {"p": p, "q": q}, hidden, options.times)


if __name__ == "__main__":
    main()

"""One side of the benchmark of graphs in a separate process: edge list → rows, with rowspace, PecanPy or node2vec.

    python bench/graph_side.py rowspace '{"edges": "edges.txt", "rows": "rows.npy", "nodes": 1000, "p": 1, "q": 1, ...}'

Prints one JSON object: seconds of each step and peak resident memory in MB. Rows are saved in the order of the nodes'
numbers. The two peers make all walks first and then learn from them with gensim, as their own `embed` and `fit` do.
rowspace makes walks while it learns; to know their share, all of them are made once more afterwards, without learning.
"""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np


def by_rowspace(job):
    from concurrent.futures import ThreadPoolExecutor

    from rowspace import fit_graph
    from rowspace.cli.warm import warm_graph
    from rowspace.learn import GraphOptions, GraphReports
    from rowspace.learn.graph.graph import build_graph
    from rowspace.learn.graph.read_edges import read_edges
    from rowspace.learn.graph.walks import WalkCorpus

    warm_graph()  # the peers' time includes no compilation either
    options = {name: job[name] for name in ("dim", "walks", "length", "window", "p", "q", "workers", "seed")}
    began, read = time.perf_counter(), []
    reports = GraphReports(on_graph=lambda *_: read.append(time.perf_counter()))
    table = fit_graph(job["edges"], reports=reports, negatives=5, **options)
    ended = time.perf_counter()
    memory = peak_memory()
    chosen = GraphOptions(**options)
    edges, directed = read_edges(job["edges"], chosen)
    corpus = WalkCorpus(build_graph(edges, directed=directed, walks=chosen.walks, length=chosen.length), chosen)
    again = time.perf_counter()
    with ThreadPoolExecutor(job["workers"]) as pool:
        for _ in pool.map(lambda number: len(corpus.chunk(number, epoch=0)), range(corpus.num_chunks)):
            pass
    walking = time.perf_counter() - again
    rows = table[[str(node) for node in range(job["nodes"])]]
    return rows, read[0] - began, walking, ended - read[0] - walking, ended - began, memory


def by_pecanpy(job):
    from gensim.models import Word2Vec
    from pecanpy import pecanpy

    first_order = job["p"] == job["q"] == 1
    mode = pecanpy.FirstOrderUnweighted if first_order else pecanpy.SparseOTF
    options = {"p": job["p"], "q": job["q"], "workers": job["workers"], "random_state": job["seed"]}
    began = time.perf_counter()
    graph = mode(**options)
    graph.read_edg(job["edges"], weighted=False, directed=False, delimiter=" ")
    read = time.perf_counter()
    walks = graph.simulate_walks(job["walks"], job["length"] - 1)  # PecanPy counts steps, not nodes
    walked = time.perf_counter()
    model = Word2Vec(
        walks, vector_size=job["dim"], window=job["window"], sg=1, min_count=0, workers=job["workers"], epochs=1,
        seed=job["seed"],
    )  # fmt: skip
    ended = time.perf_counter()
    rows = model.wv[[str(node) for node in range(job["nodes"])]]
    return rows, read - began, walked - read, ended - walked, ended - began, peak_memory()


def by_node2vec(job):
    import networkx as nx
    from node2vec import Node2Vec

    began = time.perf_counter()
    graph = nx.read_edgelist(job["edges"])
    read = time.perf_counter()
    walker = Node2Vec(
        graph, dimensions=job["dim"], walk_length=job["length"], num_walks=job["walks"], p=job["p"], q=job["q"],
        workers=job["workers"], quiet=True, seed=job["seed"],
    )  # fmt: skip
    walked = time.perf_counter()
    model = walker.fit(window=job["window"], min_count=1, epochs=1)
    ended = time.perf_counter()
    rows = model.wv[[str(node) for node in range(job["nodes"])]]
    return rows, read - began, walked - read, ended - walked, ended - began, peak_memory()


def peak_memory():
    """Return the peak resident memory in MB from /proc/self/status; that of worker processes is not included."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


SIDES = {"rowspace": by_rowspace, "PecanPy": by_pecanpy, "node2vec": by_node2vec}


def main():
    job = json.loads(sys.argv[2])
    rows, reading, walking, learning, whole, memory = SIDES[sys.argv[1]](job)
    np.save(job["rows"], np.asarray(rows, np.float32))
    parts = {"reading": reading, "walking": walking, "learning": learning, "whole": whole, "peak_mb": memory}
    print(json.dumps(parts))


if __name__ == "__main__":
    main()

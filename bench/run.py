"""Benchmarks of training, each compared with another library in the same run; prints Markdown for bench/RESULTS.md.

    scripts/bench --corpus books.txt.xz --eval folder-with-evaluation-sets

The evaluation sets are wordsim353.tsv, simlex999.txt and questions-words.txt; without `--eval`, quality is omitted. The
two sides run alternately in separate processes with `--workers` threads.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from corpora import repeated, token_file

SETS = ("wordsim353.tsv", "simlex999.txt", "questions-words.txt")


def run_side(side, corpus, folder, **job):
    """Run one side; return its results and the path of its table."""
    job = {"corpus": str(corpus), "dim": 100, "model": "skipgram", "seed": 1, "workers": 2} | job
    ending = "" if side == "rowspace" and job.get("subwords") else ".bin"
    job["output"] = str(Path(folder, f"{side}-{job['model']}-{job['dim']}-{job['seed']}{ending}"))
    side_file = Path(__file__).with_name("side.py")
    done = subprocess.run(
        [sys.executable, side_file, side, json.dumps(job)], check=True, text=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout.splitlines()[-1]) | {"table": job["output"]}


def speed(result):
    return result["words"] / result["learning"] / 1e6


def pace(result):
    """Return words per second of reading and training, which fastText does in one call."""
    return result["words"] / (result["reading"] + result["learning"]) / 1e6


def quality(path, eval_folder):
    """Return Spearman on the two sets of pairs and the accuracy on analogies."""
    import rowspace as rs

    table = rs.load(path)
    pairs = [table.evaluate_pairs(eval_folder / name).spearman.r for name in SETS[:2]]
    return [*pairs, table.evaluate_analogies(eval_folder / SETS[2]).accuracy]


def compare(peer, name, corpus, options, *, seeds, measure=speed, **job):
    """Run both sides alternately, once per seed; print a row of speeds and return rows of quality."""
    ratios, wholes, speeds, marks = [], [], {"rowspace": [], peer: []}, {"rowspace": [], peer: []}
    for seed in range(1, seeds + 1):
        results = {
            side: run_side(side, corpus, options.folder, seed=seed, workers=options.workers, **job)
            for side in (peer, "rowspace")
        }
        ratios.append(measure(results["rowspace"]) / measure(results[peer]))
        wholes.append(results[peer]["whole"] / results["rowspace"]["whole"])
        for side, result in results.items():
            speeds[side].append(measure(result))
            if options.eval:
                marks[side].append(quality(result["table"], options.eval))
        print(f"<!-- {name} seed {seed}: {json.dumps(results)} -->", file=sys.stderr, flush=True)
    ours, theirs = (statistics.median(speeds[side]) for side in ("rowspace", peer))
    print(
        f"| {name}, {peer} | {ours:.2f} | {theirs:.3f} | {_spread(ratios)} | {_spread(wholes)} |",
        flush=True,
    )
    return [f"| {name} | {side} | " + _means(rows) for side, rows in marks.items() if rows]


def _spread(ratios):
    return f"{statistics.median(ratios):.1f}× ({min(ratios):.1f}–{max(ratios):.1f})"


def _means(rows):
    return " | ".join(f"{statistics.mean(column):.3f}" for column in zip(*rows, strict=True)) + " |"


JOBS = [  # peer, name, seeds (0: as --seeds says), what differs
    ("gensim", "SGNS d=100", 0, {}),
    ("gensim", "SGNS d=300", 1, {"dim": 300}),
    ("gensim", "CBOW d=100", 0, {"model": "cbow"}),
    ("fastText", "SGNS with n-grams d=100", 0, {"subwords": True, "measure": pace}),
]


def threads(corpus, options, times=3):
    """Print the throughput of 1 and 2 threads, measured alternately."""
    pairs = [
        [speed(run_side("rowspace", corpus, options.folder, workers=workers)) for workers in (1, 2)]
        for _ in range(times)
    ]
    ratios = [two / one for one, two in pairs]
    one, two = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"\nThreads: 1 → {one:.2f}, 2 → {two:.2f} M words/s; ratio {statistics.median(ratios):.2f} "
          f"({min(ratios):.2f}–{max(ratios):.2f})")  # fmt: skip


def memory(corpus, options):
    """Print the peak resident memory of `fit` on the text and on three times the text."""
    peaks = [
        run_side("rowspace", text, options.folder, workers=options.workers)["peak_mb"]
        for text in (corpus, repeated(corpus, 3))
    ]
    print(f"\nPeak memory of fit: {peaks[0]:.0f} MB on the text, {peaks[1]:.0f} MB on three times the text")


def imports(times=9):
    """Print the time of `import rowspace` in a new interpreter, without the start of Python."""

    def seconds(code):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    taken = [seconds("import rowspace") - seconds("pass") for _ in range(times)]
    print(f"\n`import rowspace`: {statistics.median(taken):.3f} s ({min(taken):.3f}–{max(taken):.3f})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--eval", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="run only the fits with this in their name")
    options = parser.parse_args()
    packages = ("rowspace", "gensim", "fasttext-numpy2", "numpy", "numba")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}; {options.corpus.name}, {options.workers} threads\n")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        options.folder = folder
        corpus = token_file(options.corpus, folder)
        print(
            "| one pass, compared with | rowspace, M words/s | peer, M words/s | learning | complete fit |\n"
            "|---|---|---|---|---|"
        )
        marks = []
        for peer, name, seeds, job in JOBS:
            if options.only in name:
                marks += compare(peer, name, corpus, options, seeds=seeds or options.seeds, **job)
        if marks:
            print("\n| mean over seeds | side | WordSim-353 | SimLex-999 | Google analogies |\n|---|---|---|---|---|")
            print("\n".join(marks))
        if not options.only:
            threads(corpus, options)
            memory(corpus, options)
            imports()


if __name__ == "__main__":
    main()

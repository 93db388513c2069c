"""Learning in several processes compared with one; prints Markdown for bench/RESULTS.md.

    scripts/bench scale-fit --corpus books.txt.xz --eval folder-with-evaluation-sets

Each way learns the whole text in 5 epochs with one thread for each machine. "Processes" are those of torchrun on this
machine. "Simulated" machines are threads of one process, connected by gloo as processes are, with the same code. Scores
are Spearman's correlations on WordSim-353 and SimLex-999, and the accuracy on Google's analogies; processor seconds
include the reading of the text, and those of starting the processes.
"""

import argparse
import json
import lzma
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from run import quality

EVERY = 32_768


def simulate(count, every, merging, corpus, output):
    """Learn on simulated machines, and save the table."""
    from torch.distributed import HashStore

    from rowspace.scale.fit.fit_machines import fit_machines
    from rowspace.scale.fit.machines import Machines

    store = HashStore()

    def learn(rank):
        machines = Machines(store, rank, count)
        return fit_machines(corpus, machines=machines, output=output, merge_every=every, merging=merging, workers=1)

    with ThreadPoolExecutor(count) as threads:
        list(threads.map(learn, range(count)))


def commands(corpus):
    """Return the command of each way, by its name."""
    fit = ["-m", "rowspace", "fit", str(corpus), "--workers", "1", "-o"]
    torchrun = [shutil.which("torchrun"), "--nproc-per-node", "2"]

    def simulated(count, every, merging="mean"):
        return [sys.executable, __file__, "--simulate", json.dumps([count, every, merging, str(corpus)]), "-o"]

    return {
        "one process": [sys.executable, *fit],
        "2 processes": [*torchrun, *fit],
        f"8 simulated, merged each {EVERY:,} words": simulated(8, EVERY),
        f"8 simulated, merged each {10 * EVERY:,} words": simulated(8, 10 * EVERY),
        f"16 simulated, merged each {EVERY:,} words": simulated(16, EVERY),
        f"32 simulated, merged each {EVERY:,} words": simulated(32, EVERY),
        f"8 simulated, adaptive sum each {EVERY:,} words": simulated(8, EVERY, "adaptive"),
        f"16 simulated, adaptive sum each {EVERY:,} words": simulated(16, EVERY, "adaptive"),
        f"32 simulated, adaptive sum each {EVERY:,} words": simulated(32, EVERY, "adaptive"),
    }


def measure(command, output):
    """Run a command; return its processor seconds, with those of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, str(output)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(name, seconds, output, options, base):
    """Return the scores, and print a row."""
    import rowspace as rs

    settings = rs.load(output).settings
    scores = quality(output, options.eval)
    ratios = [found / first for found, first in zip(scores, base or scores, strict=True)]
    shares = [f"{100 * ratio:.0f} %" for ratio in (*ratios, sum(ratios) / 3)]
    sent = settings.get("bytes_sent", 0) / 1e9
    print(
        f"| {name} | {scores[0]:.3f} | {scores[1]:.3f} | {100 * scores[2]:.1f} % | {', '.join(shares[:3])} | "
        f"**{shares[3]}** | {sent:.2f} GB | {seconds:.0f} |",
        flush=True,
    )
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--eval", type=Path)
    parser.add_argument("--simulate", help=argparse.SUPPRESS)
    parser.add_argument("-o", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.simulate:
        simulate(*json.loads(options.simulate), options.o)
        return
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"rowspace {version('rowspace')}, torch {version('torch')}\n"
    )
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        corpus = work / "text.txt"
        with (lzma.open if options.corpus.suffix == ".xz" else open)(options.corpus, "rb") as text:
            corpus.write_bytes(text.read())
        print("| way | WordSim | SimLex | analogies | of one process | mean | rows sent by each | processor s in all |")
        print("|---|---|---|---|---|---|---|---|")
        base = None
        for number, (way, command) in enumerate(commands(corpus).items()):
            output = work / f"table-{number}"
            scores = row(way, measure(command, output), output, options, base)
            base = base or scores


if __name__ == "__main__":
    main()

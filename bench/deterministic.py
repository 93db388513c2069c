"""Deterministic fits compared with others; prints Markdown for bench/RESULTS.md.

    scripts/bench deterministic --corpus books.txt.xz --eval folder-with-evaluation-sets

All fits run in turn in processes of their own, on the same beginning of the text. The rows of deterministic fits with
one and with two workers are compared bit by bit.
"""

import argparse
import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from corpora import beginning
from run import quality

WAYS = {
    "one worker": {"workers": 1},
    "deterministic, one worker": {"workers": 1, "deterministic": True},
    "two workers": {"workers": 2},
    "deterministic, two workers": {"workers": 2, "deterministic": True},
}


def learn(job):
    """Fit in this process; print seconds, processor seconds, peak memory, a checksum of the rows, and the quality."""
    import rowspace as rs

    before = resource.getrusage(resource.RUSAGE_SELF)
    table = rs.fit(job["corpus"], output=job["output"], **job["options"])
    after = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": table.settings["seconds"],
        "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "memory": after.ru_maxrss / 2**10,
        "rows": hashlib.sha256(table.rows.tobytes()).hexdigest(),
        "scores": quality(job["output"], Path(job["eval"])),
    }
    print(json.dumps(found))


def run(corpus, options, arguments, output):
    """Fit in a process of its own."""
    job = {"corpus": str(corpus), "output": str(output), "options": options, "eval": str(arguments.eval)}
    command = [sys.executable, __file__, "--job", json.dumps(job)]
    return json.loads(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--eval", type=Path)
    parser.add_argument("--megabytes", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job:
        learn(json.loads(arguments.job))
        return
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(beginning(arguments.corpus, arguments.megabytes * 1_000_000))
        for model in ("skipgram", "cbow"):
            compare(model, text, arguments, Path(folder))


def compare(model, text, arguments, folder):
    """Print a row for each way."""
    results = {name: [] for name in WAYS}
    for seed in range(1, arguments.seeds + 1):
        for number, (name, options) in enumerate(WAYS.items()):
            output = folder / f"{model}-{seed}-{number}"
            results[name].append(run(text, options | {"model": model, "seed": seed}, arguments, output))
    print(f"\n| {model} | WordSim-353 | SimLex-999 | analogies | seconds | processor seconds | MB | same rows |")
    print("|---|---|---|---|---|---|---|---|")
    for name, found in results.items():
        scores = zip(*(each["scores"] for each in found), strict=True)
        shown = " | ".join(" ".join(f"{value:.3f}".lstrip("0") for value in score) for score in scores)
        times = " | ".join(
            f"{statistics.median(each[kind] for each in found):.1f}" for kind in ("seconds", "processor")
        )
        peers = results["deterministic, one worker"]
        same = "yes" if [each["rows"] for each in found] == [each["rows"] for each in peers] else "no"
        print(f"| {name} | {shown} | {times} | {max(each['memory'] for each in found):,.0f} | {same} |")


if __name__ == "__main__":
    main()

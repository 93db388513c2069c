"""Quality of a merged table beside its parents and a table of all text; prints Markdown for bench/RESULTS.md.

    python bench/merging.py --corpus books.txt.xz --eval folder-with-evaluation-sets

Two tables are learned from the two halves of a text, one more from all of it. All are evaluated on the words that both
halves have, so that differences in vocabulary do not count. `average, not aligned` shows what the rotation is for.
"""

import argparse
import lzma
import os
import platform
import statistics
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

import rowspace as rs
from rowspace.learn import align

PAIRS = ("wordsim353.tsv", "simlex999.txt")
ANALOGIES = "questions-words.txt"
MERGED = {
    "average": {},
    "slerp": {"method": "slerp"},
    "average, not aligned": {"align": False},
}


def halves(path, characters, folder):
    """Write the halves of the first `characters` of a text, and all of it, as files; return their paths."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        lines = file.read(characters).splitlines()
    parts = {"first half": lines[: len(lines) // 2], "second half": lines[len(lines) // 2 :], "all text": lines}
    for name, part in parts.items():
        Path(folder, name).write_text("\n".join(part), encoding="utf-8")
    return {name: Path(folder, name) for name in parts}


def restricted(table, vocabulary):
    """Return the table of the words of a vocabulary."""
    return rs.Table(vocabulary, table[vocabulary])


def scores(table, folder):
    """Return Spearman's correlation on word pairs and the accuracy on analogies; none without the folder."""
    if folder is None:
        return []
    found = [table.evaluate_pairs(folder / name).spearman.r for name in PAIRS]
    return [*found, table.evaluate_analogies(folder / ANALOGIES).total.accuracy]


def merged_tables(parents):
    """Yield the name, the merged table and the seconds of each way to merge."""
    for name, options in MERGED.items():
        began = time.perf_counter()
        yield name, rs.merge(parents, **options), time.perf_counter() - began


def run(paths, options, seed):
    """Learn and merge once; return the figures by the name of the table."""
    tables = {
        name: rs.fit(path, dim=options.dim, epochs=options.epochs, workers=options.workers, seed=seed + 100 * number)
        for number, (name, path) in enumerate(paths.items())
    }
    parents = [tables["first half"], tables["second half"]]
    seconds, kept = {name: table.settings["seconds"] for name, table in tables.items()}, {}
    for name, table, took in merged_tables(parents):
        tables[name], seconds[name], kept[name] = table, took, np.mean(table.settings["neighbors_kept"])
    shared = [word for word in tables["average"].vocabulary if all(word in table for table in tables.values())]
    aligned = align(parents[1], parents[0]).settings
    print(f"seed {seed}: {len(shared):,} shared words; mean cosine after alignment {aligned['aligned_cosine']:.3f}")
    return {
        name: [
            len(table),
            seconds[name],
            kept.get(name, float("nan")),
            *scores(restricted(table, shared), options.eval),
        ]
        for name, table in tables.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--eval", type=Path)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--text", type=int, default=60_000_000, help="characters of the corpus that are read")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "numpy", "numba"))
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{machine}, Python {platform.python_version()}, {versions}; d = {options.dim}, {options.epochs} epochs")
    with tempfile.TemporaryDirectory() as folder:
        paths = halves(options.corpus, options.text, folder)
        runs = [run(paths, options, seed) for seed in options.seeds]
    names = ("WordSim-353", "SimLex-999", "analogies") if options.eval else ()
    print(f"\n| {' | '.join(('table', 'tokens', 'seconds', 'neighbors kept', *names))} |\n|{'---|' * (4 + len(names))}")
    for name in runs[0]:
        size, seconds, kept, *found = zip(*(each[name] for each in runs), strict=True)
        shown = [f"{statistics.mean(each):.3f} ({min(each):.3f}–{max(each):.3f})" for each in found]
        share = "" if np.isnan(kept[0]) else f"{statistics.mean(kept):.0%}"
        print(f"| {name} | {size[0]:,} | {statistics.mean(seconds):.1f} | {share} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()

"""The quality of search, compared with other libraries on questions whose answers are known; prints Markdown.

    scripts/bench quality                                        all corpora and systems
    scripts/bench quality --only stdlib pydoc --systems rowspace  the tuning set, rowspace only

The questions were written before any result was seen. Those on stdlib and pydoc are for tuning; those on code, html,
languages, thai and books (with --books) are held out. A system is measured by the rank of the first right file among
the distinct files of its 50 best passages: recall@1, recall@5, and MRR@10 with its bootstrap 95 % interval; then
MRR@10 by kind of question. "− BM25" is the difference of MRR@10 to the best variant of bm25s on this corpus, "− half"
that of a hybrid to the better of its two rankings, both with the 95 % interval of paired resamples. Indexing is timed
once, by the wall clock; a query by the median. "RAM, MB" is how much a process that indexes and answers grows at its
peak. Passages are those of rowspace's index; semble makes its own.
"""

import argparse
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from rowspace.search.evaluate import SearchScores, first_rank
from systems import HALVES, SYSTEMS, Corpus
from tasks import HELD_OUT, TUNING, corpus, questions

RESAMPLES = 10_000
POOLED = {"tuning": TUNING, "held out, English": ("code", "html"), "held out, languages": ("languages",)}
PACKAGES = ("rowspace", "bm25s", "model2vec", "semble", "sentence-transformers", "pylance", "numpy")


def measure(name, chosen, books):
    """Return the questions of a corpus, and the ranks and costs of each system."""
    folder = corpus(name, books)
    asked, results = questions(name, folder), {}
    with tempfile.TemporaryDirectory() as place:
        files = Corpus.read(name, folder, Path(place))
        for system in chosen:
            with get_context("spawn").Pool(1) as alone:  # so that each system has a peak of its own
                results |= alone.apply(measure_system, (system, files, asked))
    return asked, results, len(files.texts)


def measure_system(system, files, asked):
    """Return the ranks and costs of the searches of a system."""
    results, before = {}, peak_megabytes()
    began = time.perf_counter()
    searches, size = SYSTEMS[system](files)
    seconds = time.perf_counter() - began
    for title, search in searches.items():
        ranks, times = zip(*(ask(search, each, files.folder) for each in asked), strict=True)
        memory = peak_megabytes() - before
        results[title] = {"ranks": ranks, "costs": (seconds, 1000 * statistics.median(times), size, memory)}
        print(f"<!-- {files.name}: {title} -->", file=sys.stderr, flush=True)
    return results


def peak_megabytes():
    """Return the peak of this process since it began; that of `resource` begins with its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1000


def ask(search, question, folder):
    began = time.perf_counter()
    found = search(question["query"])
    return first_rank(found, {str(folder / file) for file in question["files"]}), time.perf_counter() - began


def reciprocal(ranks):
    return np.array([1 / rank if rank and rank <= 10 else 0.0 for rank in ranks])


def interval(values):
    """Return the mean and its bootstrap 95 % interval."""
    picks = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[picks].mean(1), [2.5, 97.5])
    return values.mean(), low, high


def spread(values):
    return "{:.3f} ({:.3f}–{:.3f})".format(*interval(values))


def difference(results, title, others):
    """Return the paired difference to the best of other systems; nothing if there is none."""
    scores = {other: reciprocal(results[other]["ranks"]) for other in others if other in results}
    best = max(scores, key=lambda other: scores[other].mean(), default=title)
    if best == title:
        return ""
    return "{:+.3f} ({:+.3f} to {:+.3f})".format(*interval(reciprocal(results[title]["ranks"]) - scores[best]))


def print_corpus(name, asked, results, passages):
    kinds = list(dict.fromkeys(each["kind"] for each in asked))
    role = "tuning" if name in TUNING else "held out"
    print(f"\n### {name} ({role}; {len(asked)} questions, {passages:,} passages)\n")
    titles = (*kinds, "− BM25", "− half", "index, s", "query, ms", "MB", "RAM, MB")
    print("| system | recall@1 | recall@5 | MRR@10 | " + " | ".join(titles) + " |")
    print("|---" * (4 + len(titles)) + "|")
    for title, each in results.items():
        scores, values = SearchScores.of(each["ranks"], title), reciprocal(each["ranks"])
        by_kind = [values[[one["kind"] == kind for one in asked]].mean() for kind in kinds]
        cells = [title, f"{scores.recall_1:.3f}", f"{scores.recall_5:.3f}", spread(values)]
        cells += [f"{mean:.3f}" for mean in by_kind]
        cells += [difference(results, title, [other for other in results if other.startswith("bm25s")])]
        cells += [difference(results, title, HALVES.get(title, ()))]
        print("| " + " | ".join([*cells, *(f"{cost:.1f}" for cost in each["costs"])]) + " |", flush=True)


def print_pooled(measured):
    pools = {title: [name for name in names if name in measured] for title, names in POOLED.items()}
    pools = {title: names for title, names in pools.items() if names}
    if not pools:
        return
    print("\n### MRR@10 of all questions\n\n| system | " + " | ".join(pools) + " |")
    print("|---" * (1 + len(pools)) + "|")
    for system in next(iter(measured.values())):
        cells = []
        for names in pools.values():
            ranks = [rank for name in names for rank in measured[name].get(system, {"ranks": ()})["ranks"]]
            cells.append(spread(reciprocal(ranks)) if ranks else "")
        print(f"| {system} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[*TUNING, *HELD_OUT], default=[*TUNING, *HELD_OUT])
    parser.add_argument("--books", metavar="FILE", help="books in English, each after a line # Title: TITLE")
    parser.add_argument(
        "--systems", nargs="+", default=[""], metavar="NAME", help=f"beginnings of {', '.join(SYSTEMS)}"
    )
    options = parser.parse_args()
    chosen = [system for system in SYSTEMS if system.startswith(tuple(options.systems))]
    if not chosen:
        parser.error(f"no system begins with {' or '.join(options.systems)}; there are {', '.join(SYSTEMS)}")
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ",
        end="",
    )
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    measured = {}
    for name in options.only:
        if name == "books" and options.books is None:
            print("<!-- books are left out; name their file with --books -->", file=sys.stderr)
            continue
        asked, measured[name], passages = measure(name, chosen, options.books)
        print_corpus(name, asked, measured[name], passages)
    print_pooled(measured)


if __name__ == "__main__":
    main()

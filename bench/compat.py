"""gensim's classes of `rowspace.compat.gensim`, compared with gensim itself; prints Markdown.

    scripts/bench compat --corpus books.txt.xz --eval folder-with-evaluation-sets

Both sides run the same program with another import, alternately in separate processes with `--workers` threads: all
defaults of gensim, with a vector size of 100. Sentences are lines of a file (`corpus_file`, gensim's fast path) or
lists of words. The seconds are those of `build_vocab` and `train`, without imports; with `--eval`, Spearman's
correlation on wordsim353.tsv shows that both have learned as much.
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
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from corpora import token_file

MODULES = {"rowspace": "rowspace.compat.gensim.models", "gensim": "gensim.models"}
JOBS = {
    "CBOW": ("Word2Vec", {}),
    "CBOW, lists of words": ("Word2Vec", {"lists": True}),
    "skip-gram": ("Word2Vec", {"sg": 1}),
    "skip-gram, hierarchical softmax": ("Word2Vec", {"sg": 1, "hs": 1, "negative": 0}),
    "FastText, CBOW": ("FastText", {}),
    "PV-DBOW": ("Doc2Vec", {"dm": 0, "epochs": 5}),
    "PV-DM": ("Doc2Vec", {"epochs": 5}),
}


def run_job(side, job):
    """Learn in this process; return the seconds of each step and the quality."""
    models, options = import_module(MODULES[side]), dict(job["options"])
    corpus = {"corpus_file": job["corpus"]}
    if options.pop("lists", False):
        corpus = {"corpus_iterable": [line.split() for line in Path(job["corpus"]).read_text().splitlines()]}
    model = getattr(models, job["class"])(vector_size=100, workers=job["workers"], seed=job["seed"], **options)
    began = time.perf_counter()
    model.build_vocab(**corpus)
    counted = time.perf_counter()
    model.train(**corpus, total_examples=model.corpus_count, total_words=model.corpus_total_words, epochs=model.epochs)
    ended = time.perf_counter()
    score = model.wv.evaluate_word_pairs(job["pairs"])[1][0] if job["pairs"] else None
    words = model.epochs * model.corpus_total_words / 1e6
    return {"counting": counted - began, "training": ended - counted, "speed": words / (ended - began), "score": score}


def in_process(side, job):
    """Learn in another process."""
    command = [sys.executable, __file__, "--side", side, json.dumps(job)]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def compare(name, corpus, options):
    """Run both sides alternately, once per seed; print a row."""
    kind, changes = JOBS[name]
    results = {side: [] for side in ("gensim", "rowspace")}
    for seed in range(1, options.seeds + 1):
        for side, found in results.items():
            pairs = str(options.eval / "wordsim353.tsv") if options.eval and not kind.startswith("Doc") else None
            job = {"class": kind, "options": changes, "corpus": str(corpus), "workers": options.workers, "seed": seed}
            found.append(in_process(side, job | {"pairs": pairs}))
        print(f"<!-- {name} seed {seed}: {json.dumps(results)} -->", file=sys.stderr, flush=True)
    speeds = {side: statistics.median(each["speed"] for each in found) for side, found in results.items()}
    ratios = [ours["speed"] / theirs["speed"] for theirs, ours in zip(*results.values(), strict=True)]
    scores = [statistics.mean(each["score"] or 0 for each in results[side]) for side in ("rowspace", "gensim")]
    shown = " | ".join(f"{score:.3f}" if score else "" for score in scores)
    print(
        f"| {name} | {speeds['rowspace']:.2f} | {speeds['gensim']:.2f} | {statistics.median(ratios):.1f}× "
        f"({min(ratios):.1f}–{max(ratios):.1f}) | {shown} |",
        flush=True,
    )


def main():
    if sys.argv[1:2] == ["--side"]:
        print(json.dumps(run_job(sys.argv[2], json.loads(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--eval", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--characters", type=int, help="use only the beginning of the corpus")
    parser.add_argument("--only", default="", help="run only the models with this in their name")
    options = parser.parse_args()
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "gensim", "numpy", "numba"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}; {options.corpus.name}, {options.workers} threads, 5 epochs\n")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        corpus = token_file(options.corpus, folder)
        if options.characters:
            corpus.write_text(corpus.read_text("utf-8")[: options.characters].rsplit("\n", 1)[0] + "\n", "utf-8")
        print("| model | rowspace, M words/s | gensim, M words/s | ratio | WordSim-353, rowspace | gensim |")
        print("|---|---|---|---|---|---|")
        for name in JOBS:
            if options.only in name:
                compare(name, corpus, options)


if __name__ == "__main__":
    main()

"""The accuracy of classifiers on texts that they have not seen, compared with other libraries; prints Markdown.

    scripts/bench classification                                         all sets but books
    scripts/bench classification --books FILE --seeds 1 --only books chinese

The sets are described in `sets.py`; options of rowspace were chosen on docstrings and debian, others are held out. Each
seed divides the 5,000 texts of a set into 4,000 to learn from and 1,000 to test. fastText gets 11 threads, since with
fewer its 0.9.3 leaves most rows uninitialized (and may then end with "Encountered NaN"); it gets texts with line breaks
and tabs as blanks. model2vec's classifier starts from the table that is distilled from all-MiniLM-L6-v2, which an index
uses without `--table`. Accuracy is over all seeds, with the 95 % interval of bootstrap resamples; seconds of `fit` are
the median by the wall clock.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import fasttext
import numpy as np
from model2vec import StaticModel
from model2vec.train import StaticModelForClassification
from sets import HELD_OUT, TUNING, load
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union

import rowspace as rs
from rowspace.cli.default_table import index_table_path
from rowspace.errors import FitDiverged

LEARNED, RESAMPLES = 4_000, 2_000
PACKAGES = ("fasttext-numpy2", "model2vec", "scikit-learn", "numpy", "numba")
TUNED = {"lr": 0.5, "epoch": 25, "wordNgrams": 2}


def by_rowspace(texts, labels, seed, **options):
    classifier = rs.Classifier(seed=seed, **options).fit(texts, labels)
    print(f"<!-- {classifier.chosen_} -->", file=sys.stderr)
    return classifier.predict


def by_fasttext(texts, labels, seed, **options):
    names = sorted(set(labels))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        lines = [f"__label__{names.index(y)} {' '.join(x.split())}\n" for x, y in zip(texts, labels, strict=True)]
        path.write_text("".join(lines), "utf-8")
        try:
            model = fasttext.train_supervised(str(path), thread=11, seed=seed, verbose=0, **options).f
        except RuntimeError:  # "Encountered NaN."
            return lambda given: [None] * len(given)

    def predict(given):
        found = [model.predict(" ".join(x.split()) + "\n", 1, 0.0, "strict") for x in given]
        return [names[int(pairs[0][1].removeprefix("__label__"))] if pairs else None for pairs in found]

    return predict


def by_model2vec(texts, labels, seed):
    classifier = StaticModelForClassification.from_static_model(model=StaticModel.from_pretrained(index_table_path()))
    return classifier.fit(texts, labels, random_seed=seed).predict


def by_regression(texts, labels, seed, **options):
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    model = make_pipeline(make_union(words, characters), LogisticRegression(max_iter=200, **options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(texts, labels).predict


SYSTEMS = {
    "rowspace": by_rowspace,
    "rowspace, rows only": lambda *given: by_rowspace(*given, method="rows"),
    "fastText, defaults": by_fasttext,
    "fastText, lr=.5, epoch=25, wordNgrams=2": lambda *given: by_fasttext(*given, **TUNED),
    "fastText, the same with minn=2, maxn=5": lambda *given: by_fasttext(*given, **TUNED, minn=2, maxn=5),
    "model2vec's classifier, defaults": by_model2vec,
    "TF-IDF + logistic regression, C=1": by_regression,
    "TF-IDF + logistic regression, C=10": lambda *given: by_regression(*given, C=10.0),
}


def measure(name, seed, systems, books):
    """Return which answers of each system are right, and its seconds."""
    texts, labels = load(name, books)
    order = np.random.default_rng(seed).permutation(len(texts))
    texts, labels = [texts[place] for place in order], np.array([labels[place] for place in order])
    found = {}
    for system in systems:
        began = time.perf_counter()
        try:
            predict = SYSTEMS[system](texts[:LEARNED], labels[:LEARNED].tolist(), seed)
        except FitDiverged:
            predict = lambda given: [None] * len(given)  # noqa: E731  # as fastText's NaN
        seconds = time.perf_counter() - began
        right = np.array([a == b for a, b in zip(predict(texts[LEARNED:]), labels[LEARNED:], strict=True)])
        found[system] = right, seconds
        print(f"<!-- {name} {seed} {system}: {right.mean():.3f} {seconds:.1f} s -->", file=sys.stderr, flush=True)
    return found


def shown(right):
    picks = np.random.default_rng(0).integers(0, len(right), (RESAMPLES, len(right)))
    low, high = np.percentile(right[picks].mean(1), [2.5, 97.5])
    return f"{right.mean():.3f} ({low:.3f}–{high:.3f})"


def print_results(results, systems, names):
    for title, cell in (
        ("accuracy", lambda runs: shown(np.concatenate([right for right, _ in runs]))),
        ("seconds", lambda runs: f"{statistics.median(seconds for _, seconds in runs):.1f}"),
    ):
        print(f"\n| {title} | " + " | ".join(names) + " |\n" + "|---" * (1 + len(names)) + "|")
        for system in systems:
            cells = [cell([run[system] for run in results[name]]) if results.get(name) else "" for name in names]
            print(f"| {system} | " + " | ".join(cells) + " |")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--books", metavar="FILE", help="books as text, compressed with xz: # Title: and paragraphs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=[*TUNING, *HELD_OUT])
    parser.add_argument("--systems", nargs="+", default=[""], metavar="NAME", help=f"beginnings of {list(SYSTEMS)}")
    options = parser.parse_args()
    names = options.only or [name for name in (*TUNING, *HELD_OUT) if name != "books" or options.books]
    systems = [system for system in SYSTEMS if system.startswith(tuple(options.systems))]
    if not systems:
        parser.error(f"no system begins with {' or '.join(options.systems)}; there are {', '.join(SYSTEMS)}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ", end="")
    print(", ".join(f"{package} {version(package)}" for package in PACKAGES))
    results = {name: [] for name in names}
    for seed in range(options.seeds):
        for name in names:
            results[name].append(measure(name, seed, systems, options.books))
        print_results(results, systems, names)


if __name__ == "__main__":
    main()

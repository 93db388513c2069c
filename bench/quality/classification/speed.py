"""Training fastText's architecture on a million lines, compared with fastText; prints Markdown for bench/RESULTS.md.

    scripts/bench classification-speed --books books.txt.xz

A line is 12 words in a row of a book, and the label is its book, one of the 90 longest ones. 20,000 lines are held out.
Each side learns for five epochs in a process of its own, in turn; seconds include the import and reading the file of
lines, but kernels are compiled before. rowspace has one thread for each core. fastText has 11, since with fewer its
rows stay uninitialized; compare the processor seconds. Run it without PYTHONDONTWRITEBYTECODE, so that Python's
modules are compiled as they are where pip has installed them.
"""

import argparse
import json
import lzma
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

WORDS, LABELS, TESTED, EPOCHS = 12, 90, 20_000, 5
PREFIX = "__label__"


def by_rowspace(path, word_ngrams):
    import rowspace as rs
    from rowspace.learn import read_labeled_texts

    texts, labels, _ = read_labeled_texts(path)
    options = {"dim": 100, "epochs": EPOCHS, "lr": 0.1, "word_ngrams": word_ngrams, "min_n": 0, "max_n": 0}
    classifier = rs.Classifier(method="rows", **options).fit(texts, labels)
    return classifier.predict


def by_fasttext(path, word_ngrams):
    import fasttext

    options = {"dim": 100, "epoch": EPOCHS, "lr": 0.1, "wordNgrams": word_ngrams}
    model = fasttext.train_supervised(str(path), thread=11, verbose=0, **options).f
    return lambda texts: [model.predict(text + "\n", 1, 0.0, "strict")[0][1].removeprefix(PREFIX) for text in texts]


SIDES = {"rowspace": by_rowspace, "fastText": by_fasttext}


def write_lines(books, number, folder):
    """Write `number` lines to learn from, and those to test."""
    words, title = defaultdict(list), ""
    with lzma.open(books, "rt", encoding="utf-8") as file:
        for line in file:
            if line.startswith("# Title: "):
                title = line[9:].strip()
            words[title] += line.lower().split()
    longest = sorted(words, key=lambda title: -len(words[title]))[:LABELS]
    lines = [
        f"{PREFIX}{label} {' '.join(words[title][start : start + WORDS])}\n"
        for label, title in enumerate(longest)
        for start in range(0, len(words[title]) - WORDS, WORDS)
    ]
    random.Random(0).shuffle(lines)  # noqa: S311  # an order that is the same in each run, not a secret
    if len(lines) < number + TESTED:
        sys.exit(f"these books have {len(lines):,} lines, and {number + TESTED:,} are needed")
    Path(folder, "test.txt").write_text("".join(lines[:TESTED]), "utf-8")
    Path(folder, "train.txt").write_text("".join(lines[TESTED : TESTED + number]), "utf-8")


def learn(side, folder, word_ngrams):
    """Learn in this process; print seconds, processor seconds and accuracy."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    predict = SIDES[side](folder / "train.txt", word_ngrams)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    from rowspace.learn import read_labeled_texts

    texts, labels, _ = read_labeled_texts(folder / "test.txt")
    right = sum(a == b for a, b in zip(predict(texts), labels, strict=True)) / len(texts)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([seconds, processor, right]))


def run(side, folder, word_ngrams):
    """Return seconds, processor seconds and accuracy of one process."""
    command = [sys.executable, __file__, "--learn", side, folder, str(word_ngrams)]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--books", metavar="FILE", help="books as text, compressed with xz: # Title: and paragraphs")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--learn", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.learn:
        side, folder, word_ngrams = options.learn
        learn(side, Path(folder), int(word_ngrams))
        return
    packages = ", ".join(f"{package} {version(package)}" for package in ("fasttext-numpy2", "numpy", "numba"))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}\n")
    print("| features | side | seconds | processor s | accuracy |\n|---|---|---|---|---|")
    subprocess.run([sys.executable, "-c", "from rowspace.cli.warm import warm_classifier as w; w()"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        write_lines(options.books, options.lines, folder)
        for word_ngrams, features in ((1, "words"), (2, "words and pairs of words")):
            found = {side: [] for side in SIDES}
            for _ in range(options.runs):
                for side in SIDES:
                    found[side].append(run(side, folder, word_ngrams))
            for side, runs in found.items():
                seconds, processor, right = (statistics.median(values) for values in zip(*runs, strict=True))
                print(f"| {features} | {side} | {seconds:.1f} | {processor:.1f} | {right:.3f} |")
            for place, kind in enumerate(("seconds", "processor seconds")):
                ratios = [b[place] / a[place] for a, b in zip(*found.values(), strict=True)]
                print(f"<!-- {features}, {kind}: {', '.join(f'{ratio:.2f}' for ratio in ratios)} times -->", flush=True)


if __name__ == "__main__":
    main()

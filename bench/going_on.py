"""Going on from a table beside learning anew: quality on old and on new words, and seconds.

    scripts/bench going-on --corpus books.txt.xz --eval folder-with-evaluation-sets

Half of the less frequent words of the evaluation sets are drawn to be new: every line that has one of them is kept from
the first text, with one other line in ten, and makes the second text. The table of the first text, which knows none of
these words, goes on with the second one. Scores are Spearman's correlation with people's judgments (WordSim-353 and
SimLex-999, their mean): for pairs without new words ("old"), and for pairs with one or two of them ("new").
"""

import argparse
import re
import time
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

import rowspace as rs
from corpora import beginning

SETS = ("wordsim353.tsv", "simlex999.txt")
NEW_SHARE, MOST_LINES = 0.5, 1e-4  # of the words of the evaluation sets that are in at most this share of the lines
WORD = re.compile(r"[^\W_]+")


def read_pairs(path):
    """Return the (word, word, score) of an evaluation set, whose comments and header have no number."""
    pairs = []
    for line in path.read_text().splitlines():
        parts = line.split("\t")
        try:
            pairs.append((parts[0].lower(), parts[1].lower(), float(parts[2])))
        except (ValueError, IndexError):
            continue
    return pairs


def rarer_words(words, lines):
    """Return the words that are in few lines, but not in none, in order."""
    counts = Counter(word for line in lines for word in words.intersection(WORD.findall(line.lower())))
    return sorted(word for word, count in counts.items() if 10 <= count <= MOST_LINES * len(lines))


def divide(lines, new_words, seed):
    """Return the lines of the first text and of the second one."""
    rng = np.random.default_rng(seed)
    first, second = [], []
    for line in lines:
        has_new = not new_words.isdisjoint(WORD.findall(line.lower()))
        (second if has_new or rng.random() < 0.1 else first).append(line)
    return first, second


def scores(table, sets, new_words):
    """Return the mean correlation over the sets, and the number of pairs, without new words and with them."""
    found = {}
    for name, is_new in (("old", False), ("new", True)):
        correlations, count = [], 0
        for pairs in sets:
            known = [
                (table.similarity(a, b), score)
                for a, b, score in pairs
                if a in table and b in table and (a in new_words or b in new_words) == is_new
            ]
            correlations.append(spearmanr(*zip(*known, strict=True)).statistic if len(known) > 20 else float("nan"))
            count += len(known)
        found[name] = (float(np.mean(correlations)), count)
    return found


def compare(first, second, sets, new_words, seed, alphas):
    """Learn from both texts in several ways, and print a row for each."""

    def run(name, corpus, **options):
        began = time.perf_counter()
        table = rs.fit(corpus, **{"dim": 100, "seed": seed} | options)
        seconds = time.perf_counter() - began
        shown = " | ".join(f"{value:.3f} ({count})" for value, count in scores(table, sets, new_words).values())
        print(f"| {name} | {seed} | {shown} | {seconds:.1f} |", flush=True)
        return table

    table = run("first text", first)
    bare = rs.Table(list(table.vocabulary), table.rows, table.counts)  # like vectors from elsewhere
    run("second text, anew", second)
    run("both texts, anew", first + second)
    run("going on", second, init=table)
    for alpha in alphas:
        run(f"going on, alpha={alpha:g}", second, init=table, alpha=alpha)
    run("going on, old rows fixed", second, init=table, freeze="old")
    run("going on without output rows", second, init=bare)
    run("the same, old rows fixed", second, init=bare, freeze="old")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--eval", type=Path, required=True)
    parser.add_argument("--megabytes", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--alphas", type=float, nargs="*", default=[])
    arguments = parser.parse_args()
    sets = [read_pairs(arguments.eval / name) for name in SETS]
    lines = beginning(arguments.corpus, arguments.megabytes * 1_000_000).splitlines()
    words = rarer_words({word for pairs in sets for pair in pairs for word in pair[:2]}, lines)
    print("| table | seed | old pairs | new pairs | seconds |\n|---|---|---|---|---|")
    for seed in range(1, arguments.seeds + 1):
        drawn = np.random.default_rng(seed).choice(words, round(NEW_SHARE * len(words)), replace=False)
        first, second = divide(lines, set(drawn.tolist()), seed)
        compare(first, second, sets, set(drawn.tolist()), seed, arguments.alphas)
    print(f"the texts have {len(first):,} and {len(second):,} lines; {len(drawn)} words are new")


if __name__ == "__main__":
    main()

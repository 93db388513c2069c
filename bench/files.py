"""Benchmarks of reading files, each compared with gensim or a plain read in the same run; prints Markdown.

    python bench/files.py                 all, at the sizes of the targets
    python bench/files.py --scale 0.1     a tenth of the rows

Rows and tokens are random, which does not affect reading. Both sides run alternately in this process, on a file that
has just been written and is therefore cached in memory; each time both results are compared.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

SYLLABLES = ("ka", "lo", "mi", "ré", "tan", "sol", "ü", "ber", "han", "글")


def tokens_of(size):
    """Return distinct words of two to six syllables, with lengths like those of real text."""
    digits = [SYLLABLES[number] for number in range(10)]
    return ["".join(digits[int(digit)] for digit in str(number + 10)) for number in range(size)]


def random_table(size, dim, *, digits=None):
    """Return a table of random rows, optionally rounded to a number of decimals, like GloVe's."""
    from rowspace.table import Table

    rows = np.random.default_rng(0).standard_normal((size, dim), np.float32)
    if digits is not None:
        rows = np.round(rows.astype(np.float64), digits).astype(np.float32)
    return Table(tokens_of(size), rows)


def seconds_of(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def in_turn(ours, theirs, times, check):
    """Return the medians of both sides and the ratios of the pairs."""
    ours()  # warm-up: compiles kernels
    pairs = []
    for _ in range(times):
        their_seconds, their_result = seconds_of(theirs)
        our_seconds, our_result = seconds_of(ours)
        check(our_result, their_result)
        pairs.append((our_seconds, their_seconds))
        print(f"<!-- ours {our_seconds:.3f} s, theirs {their_seconds:.3f} s -->", file=sys.stderr, flush=True)
    ratios = [their_seconds / our_seconds for our_seconds, their_seconds in pairs]
    ours_median, theirs_median = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours_median, theirs_median, ratios


def row(name, ours, theirs, ratios, target):
    spread = f"{statistics.median(ratios):.1f}× ({min(ratios):.1f}–{max(ratios):.1f})"
    print(f"| {name} | {ours:.3f} | {theirs:.3f} | {spread} | {target} |", flush=True)


def require(holds):
    if not holds:
        raise SystemExit("the two sides gave different answers: the figures mean nothing")


def same_rows(table, vectors):
    require(list(table.vocabulary) == vectors.index_to_key)
    require(table.rows.tobytes() == vectors.vectors.tobytes())


def word2vec_binary(folder, options):
    from gensim.models import KeyedVectors

    from rowspace.store.text_formats import word2vec

    size, path = int(400_000 * options.scale), folder / "vectors.bin"
    word2vec.save(random_table(size, 300), path)
    result = in_turn(
        lambda: word2vec.load(path),
        lambda: KeyedVectors.load_word2vec_format(path, binary=True),
        options.times,
        same_rows,
    )
    row(f"word2vec .bin, {size} × 300, read", *result, "≥ 5×")


def glove_text(folder, options):
    from gensim.models import KeyedVectors

    from rowspace.store.text_formats import glove

    size, path = int(400_000 * options.scale), folder / "glove.txt"
    table = random_table(size, 100, digits=5)
    seconds, _ = seconds_of(lambda: glove.save(table, path))
    result = in_turn(
        lambda: glove.load(path),
        lambda: KeyedVectors.load_word2vec_format(path, binary=False, no_header=True),
        options.times,
        same_rows,
    )
    row(f"GloVe text, {size} × 100, read", *result, "≥ 8×")
    print(f"<!-- GloVe text written in {seconds:.1f} s -->", file=sys.stderr, flush=True)


def first_row(folder, options):
    """Open a native table and access one row, compared with reading the bytes of its rows."""
    from rowspace import store

    size, path = int(1_000_000 * options.scale), folder / "native"
    table = random_table(size, 300)
    store.save(table, path)
    expected = table.rows[size // 2].copy()
    del table

    def read_all():
        buffer, total = bytearray(1 << 20), 0
        with (path / "model.safetensors").open("rb", buffering=0) as file:
            while read := file.readinto(buffer):
                total += read
        return total

    def check(ours, theirs):
        require(ours.tobytes() == expected.tobytes())
        require(theirs >= size * 300 * 4)

    def read_row():
        return store.load(path)[size // 2].copy()

    result = in_turn(read_row, read_all, options.times * 3, check)
    row(f"native, {size} × 300: first row, over reading the file", *result, "≥ 50×")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="fraction of the rows")
    parser.add_argument("--times", type=int, default=3, help="runs of each side")
    options = parser.parse_args()
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "gensim", "numpy", "numba"))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
          f"{versions}; medians of {options.times} runs in turn\n")  # fmt: skip
    print("| operation | rowspace, s | the other, s | ratio | target |\n|---|---|---|---|---|")
    for benchmark in (word2vec_binary, glove_text, first_row):
        with tempfile.TemporaryDirectory() as folder:
            benchmark(Path(folder), options)


if __name__ == "__main__":
    main()

"""Benchmarks of encoding by parts, compared with one process; prints Markdown for bench/RESULTS.md.

    python bench/scale.py [--texts 200000] [--without-ray]

The texts are passages of the standard library's source, in Parquet files, and the table has 30,522 rows of 384 numbers,
drawn at random, as speed does not depend on them. Processor seconds are those of a process and its ended children. The
time to start (import, load, kernels from the cache) is measured with one text in each file, and subtracted where a row
says "per text". Ray starts some workers for each job, so that its rows are the difference between three times the texts
and the texts. `encode_to` is the same work in one process without parts.
"""

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FILES, MORE = 8, 3
ONE = """
import sys, rowspace as rs
from pathlib import Path
from rowspace.encode import StreamOptions
encoder = rs.Encoder.load(sys.argv[1], workers=1).warm_up()
for file in sorted(Path(sys.argv[2]).iterdir()):
    encoder.encode_to(file, f"{sys.argv[3]}-{file.name}", options=StreamOptions(column="text"))
"""
PARTS = """
import sys
from rowspace.scale import PartsOptions, encode_parts
on = {"none": None}.get(sys.argv[4], sys.argv[4])
result = encode_parts(*sys.argv[1:4], options=PartsOptions(column="text"), on=on, workers=None if on is None else 2)
print(result.new_parts, result.texts)
"""
RAY = """
import os, sys, ray, threading, time
table, few, texts, out, kind = sys.argv[1:]
ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
from rowspace.scale import EncodeBatches, PartsOptions, encode_parts
ray.data.DataContext.get_current().enable_progress_bars = False
def run(source, out):
    if kind == "parts":
        encode_parts(table, source, out, options=PartsOptions(column="text"), on="ray", workers=2)
    else:
        batches = ray.data.read_parquet(source).map_batches(EncodeBatches(table), batch_format="pyarrow")
        batches.write_parquet(out, use_dictionary=["id", "text"])  # as encode_to, whose vectors have no dictionary
used = {}  # processor seconds of each worker, also of those that have ended
def look():
    for each in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"ray::" in open(f"/proc/{each}/cmdline", "rb").read():
                fields = open(f"/proc/{each}/stat").read().rpartition(")")[2].split()
                used[each] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
def watch():
    while True:
        look()
        time.sleep(0.1)
run(few, out + "-few")
threading.Thread(target=watch, daemon=True).start()
look()
before = dict(used)
run(texts, out)
look()
print(sum(used.values()) - sum(before.values()))
"""


def passages():
    """Yield passages of the standard library's source."""
    library = Path(sysconfig.get_path("stdlib"))
    while True:
        for file in sorted(library.rglob("*.py")):
            if "site-packages" not in file.parts:
                yield from re.split(r"\n\s*\n", file.read_text(errors="replace"))


def write_table(folder, rows, dim):
    """Save a table of WordPiece with letters, so that every text has tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    import rowspace as rs

    words = sorted({word for text in islice(passages(), 20_000) for word in re.findall(r"[a-z]+", text.lower())})
    letters = [chr(code) for code in range(33, 127)]
    vocabulary = list(dict.fromkeys(["[UNK]", *letters, *(f"##{letter}" for letter in letters), *words]))[:rows]
    vocabulary += [f"[unused{number}]" for number in range(rows - len(vocabulary))]
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    values = np.random.default_rng(0).standard_normal((rows, dim), np.float32)
    rs.Table(vocabulary, values, tokenizer=tokenizer.to_str()).save(folder)


def write_texts(folder, number):
    """Write texts to Parquet files."""
    folder.mkdir()
    source = passages()
    for file in range(FILES):
        texts = list(islice(source, number // FILES))
        pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), folder / f"{file}.parquet")


def run(program, *arguments):
    """Run a program; return its processor seconds with those of its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout.strip().split("\n")[-1]


def contents(folder):
    """Return the bytes of the files of vectors."""
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def main():
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=200_000)
    parser.add_argument("--without-ray", action="store_true")
    options = parser.parse_args()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"rowspace {version('rowspace')}, pyarrow {version('pyarrow')}, ray {version('ray')}\n"
    )
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        write_table(work / "table", 30_522, 384)
        write_texts(work / "few", FILES)
        write_texts(work / "texts", options.texts)
        if not options.without_ray:
            write_texts(work / "more", MORE * options.texts)
        ways = {
            "encode_to, one process": (ONE,),
            "parts, this process": (PARTS, "none"),
            "parts, 2 processes": (PARTS, "processes"),
        }
        print("| way | processor s in all | µs per text | ratio to encode_to |\n|---|---|---|---|")
        base = None
        for number, (way, (program, *engine)) in enumerate(ways.items()):
            costs = []
            for source in ("few", "texts"):
                seconds, _ = run(program, work / "table", work / source, work / f"{source}-{number}", *engine)
                costs.append(seconds)
            each = (costs[1] - costs[0]) / (options.texts - FILES) * 1e6
            base = base or each
            print(f"| {way} | {costs[1]:.1f} | {each:.1f} | {each / base:.2f} |", flush=True)
        for kind, way in (
            {} if options.without_ray else {"parts": "parts, Ray", "data": "EncodeBatches in Ray Data"}.items()
        ):
            costs = []
            for source in ("texts", "more"):
                _, printed = run(RAY, work / "table", work / "few", work / source, work / f"{source}-{kind}", kind)
                costs.append(float(printed))
            each = (costs[1] - costs[0]) / ((MORE - 1) * options.texts) * 1e6
            print(f"| {way} | {costs[0]:.1f} | {each:.1f} | {each / base:.2f} |", flush=True)
        same = contents(work / "texts-1") == contents(work / "texts-2")
        same = same and (options.without_ray or contents(work / "texts-1") == contents(work / "texts-parts"))
        print(f"\nEqual byte for byte: {same}.")
        _, printed = run(PARTS, work / "table", work / "texts", work / "texts-2", "processes")
        print(f"A second run: {printed.split()[0]} new parts.")


if __name__ == "__main__":
    main()

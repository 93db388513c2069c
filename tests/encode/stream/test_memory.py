"""Peak memory does not grow with the source: measured in processes of their own, with outputs far above the bound."""

import os
import subprocess
import sys

import pytest

# Encodes the number of texts given as the first argument, from the kind of source and into the output given as the
# second and third, and prints the increase of peak memory in bytes.
ENCODE = """
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet

from rowspace.encode import Encoder, StreamOptions
from rowspace.table import Table
from rowspace.text import whitespace_json

WIDTH = 2048
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) << 10

words = ["the", "cat"]
table = Table(words, np.ones((2, WIDTH), np.float32), tokenizer=whitespace_json(words))
encoder = Encoder(table, workers=1).warm_up()
count, kind, out = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
if out.suffix == ".lance":
    import lancedb
if kind == "generator":
    source = (f"the cat {number}" for number in range(count))
elif kind == "lines":
    source = out.with_name("source.txt")
    with source.open("w") as file:
        file.writelines(f"the cat {number}\\n" for number in range(count))
else:
    import pyarrow as pa

    source = out.with_name("source.parquet")
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), ["the cat " * 99])
    pyarrow.parquet.write_table(pa.table({"t": repeated}), source)
encoder.encode_to(iter(["the cat"] * 20_000), out)
before = peak()
options = StreamOptions(column="t" if kind == "parquet" else None, keep_text=kind != "parquet")
encoder.encode_to(source, out, options=options)
print(peak() - before)
"""


def increase(count, kind, out):
    environment = os.environ | {"COVERAGE_PROCESS_CONFIG": ""}
    done = subprocess.run(
        [sys.executable, "-c", ENCODE, str(count), kind, out],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("lines", "v.npy"),
        pytest.param("generator", "v.parquet", marks=pytest.mark.long),
        pytest.param("parquet", "v.npy", marks=pytest.mark.long),
    ],
)
def test_peak_memory_is_a_fraction_of_the_output(tmp_path, kind, name):
    count = 60_000  # 490 MB of vectors; a batch has 17 MB
    assert increase(count, kind, tmp_path / name) < 100 << 20

"""The memory of a build is bounded by the size of its batches, not by that of the text."""

import shutil
import sysconfig
from pathlib import Path

import pytest
from tests.memory import numbers_printed_by

SIZE = 105_000_000  # bytes of text
# Builds an index of the folder given as the first argument in the folder given as the second, and prints the memory in
# use in the third and in the last quarter of the files, and the most at the end, in bytes. The batch that is written at
# the moment takes up to 70 MB, on a busy machine most of the time, so each sample waits for it, and a quarter has the
# least of its samples.
BUILD = """
import ctypes
import os
import sys
import time

import numpy as np
import pyarrow as pa
from tests.memory import peak, resident

from rowspace.encode import Encoder
from rowspace.search import Index
from rowspace.table import Table
from rowspace.text import whitespace_json

words = ["self", "def", "return", "import", *(f"word{number}" for number in range(1000))]
rows = np.random.default_rng(0).standard_normal((len(words), 64), np.float32)
sizes = []

def sample(done, total):
    if done % 100 == 0:
        time.sleep(0.4)
        pa.default_memory_pool().release_unused()
        ctypes.CDLL(None).malloc_trim(0)  # what is free, but not given back, does not count
        sizes.append(resident(os.getpid()))

index = Index.build(
    sys.argv[1],
    Encoder(Table(words, rows, tokenizer=whitespace_json(words))),
    sys.argv[2],
    on_progress=sample,
)
assert index.summary.chunks > 100_000
quarter = len(sizes) // 4
print(*(min(sizes[start : start + quarter]) for start in (2 * quarter, 3 * quarter)), peak(os.getpid()))
"""


def write_sources(folder: Path) -> None:
    """Write the sources of the standard library, again and again with other names."""
    library = Path(sysconfig.get_path("stdlib"))
    sources = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    written = 0
    for number in range(len(sources) * 100):
        if written >= SIZE:
            return
        copy, place = divmod(number, len(sources))
        text = sources[place].read_text(encoding="utf-8", errors="replace")
        written += len(text := text.replace("self", f"self{copy}").replace("def ", f"def v{copy}_"))
        (folder / f"{copy}-{place}.py").write_text(text, encoding="utf-8")


@pytest.mark.long
def test_memory_is_flat_over_a_hundred_megabytes_of_text(tmp_path):
    (tmp_path / "files").mkdir()
    write_sources(tmp_path / "files")
    third, last, end = numbers_printed_by(BUILD, tmp_path / "files", tmp_path / "index")
    shutil.rmtree(tmp_path / "files")  # pytest keeps the folder of the last runs
    shutil.rmtree(tmp_path / "index")
    # Batches and the cache of words grow during the first half. If all passages stayed, it would be 35 MB more.
    assert last - third < 20_000_000
    assert end < 1_200_000_000  # when Lance makes its index of words

"""Fuzzing of each reader of a binary format with thousands of inputs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = 3000


@pytest.mark.long  # test_damaged_files.py opens files of each reader
@pytest.mark.parametrize("kind", ["word2vec", "fasttext", "npy", "npz", "parquet", "safetensors"])
def test_fuzzed_bytes_give_a_table_or_a_rowspace_error(kind):
    script = Path(__file__).with_name("reader.py")
    run = subprocess.run(
        [sys.executable, script, kind, f"-runs={RUNS}", "-seed=1", "-max_len=4096"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert f"Done {RUNS} runs" in run.stderr

"""1,000 damaged files for each reader; see `damaged_files.py`."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.samples import READERS


@pytest.mark.long
def test_damaged_files_give_a_table_or_a_clear_error_with_limited_memory():
    script = Path(__file__).with_name("damaged_files.py")
    names = list(READERS)
    parts = [names[::2], names[1::2]]  # at the same time, since this takes minutes
    runs = [
        subprocess.Popen(
            [sys.executable, script, "--files", "1000", *part],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for part in parts
    ]
    for run, part in zip(runs, parts, strict=True):
        output = run.communicate()[0]
        assert run.returncode == 0, output
        lines = [line for line in output.splitlines() if not line.startswith("rowspace: compiling kernels")]
        assert len(lines) == 1 + len(part), output  # a heading and a line for each reader
    assert len(names) == 47

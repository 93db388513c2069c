"""A few damaged files for each reader (1,000 in a long run); see `damaged_files.py`."""

import subprocess
import sys
from pathlib import Path


def test_damaged_files_give_a_table_or_a_clear_error_with_limited_memory(long_form):
    script = Path(__file__).with_name("damaged_files.py")
    command = [sys.executable, script, "--files", "1000" if long_form else "12"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == 48, run.stdout  # a heading and a line for each reader

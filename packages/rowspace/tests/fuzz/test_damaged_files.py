"""A few damaged files for each reader (1,000 with ROWSPACE_LONG_TESTS=1); see `damaged_files.py`."""

import os
import subprocess
import sys
from pathlib import Path

FILES = 1000 if os.environ.get("ROWSPACE_LONG_TESTS") == "1" else 12


def test_damaged_files_give_a_table_or_a_clear_error_with_limited_memory():
    script = Path(__file__).with_name("damaged_files.py")
    command = [sys.executable, script, "--files", str(FILES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == 48, run.stdout  # a heading and a line for each reader

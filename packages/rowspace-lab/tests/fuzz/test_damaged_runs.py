"""A few damaged files for each reader (1,000 in a long run); see `damaged_runs.py`."""

import subprocess
import sys
from pathlib import Path


def test_damaged_runs_open_as_before_or_give_a_clear_error(long_form):
    command = [sys.executable, Path(__file__).with_name("damaged_runs.py"), "--files", "1000" if long_form else "12"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == 4, run.stdout  # a heading and a line for each reader

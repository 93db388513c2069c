"""1,000 damaged files for each reader; see `damaged_runs.py`."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long
def test_damaged_runs_open_as_before_or_give_a_clear_error():
    command = [sys.executable, Path(__file__).with_name("damaged_runs.py"), "--files", "1000"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == 4, run.stdout  # a heading and a line for each reader

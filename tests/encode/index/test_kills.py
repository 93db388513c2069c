"""SIGKILL at random moments of a build, an update and a rebuild."""

import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("kill_rounds.py")


def kill(kind, folder, times):
    result = subprocess.run(
        [sys.executable, ROUNDS, kind, folder, str(times)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_killed_writers_leave_an_index_that_the_next_run_completes(tmp_path):
    for kind in ("build", "update", "bridge"):
        (tmp_path / kind).mkdir()
        kill(kind, tmp_path / kind, 3)


@pytest.mark.long
def test_many_killed_writers(tmp_path):
    for kind in ("build", "update", "rebuild", "bridge"):
        (tmp_path / kind).mkdir()
        kill(kind, tmp_path / kind, 80)

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("kill_rounds.py")


def run(kind, path, *, long):
    command = [sys.executable, "-W", "error", ROUNDS, kind, path, *(["--long"] if long else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("system", ["", " without exchange"])
def test_save_killed_at_random_times_leaves_a_complete_table_and_the_next_save_cleans_up(tmp_path, system, long_form):
    run(f"at random{system}", tmp_path / "table", long=long_form)
    assert [entry.name for entry in tmp_path.iterdir()] == ["table"]


@pytest.mark.parametrize("system", ["", " without exchange"])
def test_save_killed_at_each_line_leaves_a_complete_table(tmp_path, system, long_form):
    assert json.loads(run(f"at each line{system}", tmp_path / "table", long=long_form))["lines"] > 200
    assert [entry.name for entry in tmp_path.iterdir()] == ["table"]

import json
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = Path(__file__).with_name("kill_runs.py")


def run(kind, out, *, long):
    command = [sys.executable, "-W", "error", RUNS, kind, out, *(["--long"] if long else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.long
@pytest.mark.parametrize("name", ["v.npy", "v.parquet"])
def test_run_killed_at_random_times_resumes_to_all_vectors(tmp_path, name, long_form):
    found = run("at random", tmp_path / name, long=long_form)
    assert found["kills"] > 2
    assert found["resumed"] > 0


@pytest.mark.parametrize(
    "name", ["v.npy", *(pytest.param(name, marks=pytest.mark.long) for name in ("v.parquet", "v.lance"))]
)
def test_run_killed_at_each_line_leaves_nothing_or_a_complete_file_and_resumes(tmp_path, name, long_form):
    found = run("at each line", tmp_path / name, long=long_form)
    assert found["lines"] > 400
    assert found["resumed"] > 1

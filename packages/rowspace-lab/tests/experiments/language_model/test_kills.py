"""A training that is killed at random moments ends with the same bits; `kill_rounds.py` has the rounds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("kill_rounds.py")


def kill(folder, *options, rounds):
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, SCRIPT, folder, *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) >= rounds


@pytest.mark.long  # interrupted runs go on with the same bits in test_train.py
@pytest.mark.parametrize("options", [(), ("--without-exchange",)], ids=["exchange", "renames"])
def test_a_killed_run_ends_with_the_same_bits(options, tmp_path):
    kill(tmp_path, *options, rounds=6)


@pytest.mark.long
def test_a_run_killed_a_hundred_times_ends_with_the_same_bits(tmp_path):
    kill(tmp_path, "--long", rounds=100)

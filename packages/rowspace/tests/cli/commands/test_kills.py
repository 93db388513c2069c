"""SIGKILL while a command makes a table or a classifier; `kill_rounds.py` has the rounds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn  # noqa: F401  # which the script needs, like transformers
import transformers  # noqa: F401  # likewise

SCRIPT = Path(__file__).with_name("kill_rounds.py")


def kill(folder, *options):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, SCRIPT, folder, *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("--without-exchange",)])
def test_killed_commands_leave_the_old_output_or_the_new_one_and_run_again_to_the_same_bytes(options, tmp_path):
    for counts in kill(tmp_path, *options):
        assert counts["killed"] >= 20, counts
        assert "hidden" not in counts or options, counts

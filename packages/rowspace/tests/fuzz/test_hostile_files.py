"""A few hostile files of some formats (60 of each, and the named ones, in a long run)."""

import subprocess
import sys
from pathlib import Path

from tests.fuzz.hostile import CASES, FORMATS

SCRIPT = Path(__file__).with_name("hostile_files.py")


def fuzz(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def test_hostile_files_are_read_or_left_out_with_limited_time_and_memory(long_form, tmp_path):
    arguments = ["--files", "60"] if long_form else ["--files", "4", ".cs", ".html", ".md", ".pdf", ".py", ".txt"]
    run = fuzz(*arguments, "--results", tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len(run.stdout.splitlines()) == (2 + len(CASES) + len(FORMATS) if long_form else 7), run.stdout
    again = fuzz(*arguments, "--results", tmp_path)  # which only reads the results
    assert again.stdout == run.stdout

"""A few damaged files for each reader (1,000 in a long run); see `damaged_files.py`."""

import subprocess
import sys
from pathlib import Path

from tests.fuzz.samples import READERS


def test_damaged_files_give_a_table_or_a_clear_error_with_limited_memory(long_form):
    script = Path(__file__).with_name("damaged_files.py")
    command = [sys.executable, script, "--files", "1000" if long_form else "4"]
    names = list(READERS)
    parts = [names[::2], names[1::2]] if long_form else [names]  # at the same time, since a long run takes minutes
    runs = [
        subprocess.Popen([*command, *part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for part in parts
    ]
    for run, part in zip(runs, parts, strict=True):
        output = run.communicate()[0]
        assert run.returncode == 0, output
        lines = [line for line in output.splitlines() if not line.startswith("rowspace: compiling kernels")]
        assert len(lines) == 1 + len(part), output  # a heading and a line for each reader
    assert len(names) == 47

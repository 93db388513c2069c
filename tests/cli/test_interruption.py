"""Signals during a fit, in processes of their own; each waits for what the fit says or writes, never for time."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs
from rowspace.learn import workplace_of

Run = Callable[..., Any]


def start(*arguments: str | Path, **streams: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rowspace", "fit", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams)


def interrupted(number: signal.Signals, corpus: Path, output: Path) -> tuple[int, str]:
    """Interrupt a fit while it learns; return its epochs and what it said."""
    for epochs in (50, 500, 5000):  # more, if a fit ends before the signal comes
        options = ("--dim", "16", "--workers", "1", "--epochs", str(epochs))
        with start(corpus, "-o", output, *options) as process:
            said = iter(process.stderr.readline, "")
            assert any(line.startswith("rowspace: learning: ") for line in said)
            process.send_signal(number)
            rest = process.stderr.read()
            assert process.stdout.read() == "" or process.wait() == 0
        if process.returncode:
            assert process.returncode == 1
            return epochs, rest
    pytest.fail("no fit was slow enough to be interrupted")


def test_interrupted_fit_goes_on_to_the_same_table(run: Run, english: Path, tmp_path: Path) -> None:
    output = tmp_path / "table"
    epochs, said = interrupted(signal.SIGINT, english, output)
    assert re.search(r"rowspace: stopped after [\d,]+ words; the table so far is saved in '.*': go on with ", said)
    half_way = rs.load(output)
    assert workplace_of(output).exists()

    result = run("fit", "--resume", "-o", str(output))
    assert f"{len(half_way):,} tokens" in result.stdout
    assert not workplace_of(output).exists()
    # A fit that was never stopped, from Python.
    expected = rs.fit(english, dim=16, workers=1, epochs=epochs)
    learned = rs.load(output)
    np.testing.assert_array_equal(learned.rows, expected.rows)
    assert learned.settings["losses"] == expected.settings["losses"]
    assert (half_way.rows != learned.rows).any()


def test_sigterm_saves_too_and_resuming_reads_no_corpus(run: Run, english: Path, tmp_path: Path) -> None:
    output = tmp_path / "table"
    epochs, said = interrupted(signal.SIGTERM, english, output)
    assert "go on with rowspace fit --resume" in said
    wrong = run("fit", "--resume", "-o", str(output), "--dim", "5", status=2)
    assert "the interrupted fit has dim=16, not 5" in wrong.stderr
    result = run("fit", "gone.txt", "--resume", "-o", str(output), "--workers", "2", "--json")
    assert "CORPUS is not read again" in result.stderr
    assert len(json.loads(result.stdout)["settings"]["losses"]) == epochs


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_while_reading_leaves_nothing(number: signal.Signals, status: int, tmp_path: Path) -> None:
    output = tmp_path / "table"
    with start("-", "-o", output, stdin=subprocess.PIPE) as process:
        process.stdin.write("some text that does not end")
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not any(tmp_path.glob("table.fit/*")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        said = process.stderr.read()
    assert (process.returncode, list(tmp_path.iterdir())) == (status, [])
    assert said == ("rowspace: stopped\n" if number == signal.SIGINT else "")


DURING_IMPORTS = """
import os, signal, sys
import rowspace.cli

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
rowspace.cli.main()
"""


def test_interruption_during_imports_has_no_traceback(table_path: str) -> None:
    for module in ("numpy", "typer", "numba"):  # the last one is imported by the command itself
        code = DURING_IMPORTS.format(module=module)
        arguments = [sys.executable, "-c", code, "near", table_path, "class"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "rowspace: stopped\n"), module


def test_process_that_ignores_interruptions_still_does(table_path: str) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + DURING_IMPORTS.format(module="numpy")
    arguments = [sys.executable, "-c", code, "similar", table_path, "class", "method"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

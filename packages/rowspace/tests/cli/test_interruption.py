"""Signals during a fit, in separate processes; tests wait for messages or files of the fit, never for time."""

import fcntl
import json
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs
from rowspace.learn import run_folder_of

Run = Callable[..., Any]

linux = pytest.mark.skipif(sys.platform != "linux", reason="sets the size of a pipe")


def start(*arguments: str | Path, **streams: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rowspace", "fit", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams)


def interrupted(number: signal.Signals, corpus: Path, output: Path) -> tuple[int, str]:
    """Interrupt a fit while it learns; return its epochs and its messages."""
    for epochs in (50, 500, 5000):  # more, if a fit ends before the signal arrives
        options = ("--dim", "16", "--workers", "1", "--epochs", str(epochs))
        with start(corpus, "-o", output, *options) as process:
            messages = iter(process.stderr.readline, "")
            assert any(line.startswith("rowspace: learning: ") for line in messages)
            process.send_signal(number)
            rest = process.stderr.read()
            assert process.stdout.read() == "" or process.wait() == 0
        if process.returncode:
            assert process.returncode == 1
            return epochs, rest
    pytest.fail("no fit was slow enough to be interrupted")


@pytest.mark.long
def test_interrupted_fit_resumes_to_the_same_table(run: Run, english: Path, tmp_path: Path) -> None:
    output = tmp_path / "table"
    epochs, messages = interrupted(signal.SIGINT, english, output)
    assert re.search(
        r"rowspace: stopped after [\d,]+ words; the table so far is saved in '.*'; continue with ", messages
    )
    half_way = rs.load(output)
    assert run_folder_of(output).exists()

    result = run("fit", "--resume", "-o", str(output))
    assert f"{len(half_way):,} tokens" in result.stdout
    assert not run_folder_of(output).exists()
    # An uninterrupted fit, from Python.
    expected = rs.fit(english, dim=16, workers=1, epochs=epochs)
    learned = rs.load(output)
    np.testing.assert_array_equal(learned.rows, expected.rows)
    assert learned.settings["losses"] == expected.settings["losses"]
    assert (half_way.rows != learned.rows).any()


@pytest.mark.long
def test_sigterm_saves_and_resume_ignores_the_corpus(run: Run, english: Path, tmp_path: Path) -> None:
    output = tmp_path / "table"
    epochs, messages = interrupted(signal.SIGTERM, english, output)
    assert "continue with rowspace fit --resume" in messages
    wrong = run("fit", "--resume", "-o", str(output), "--dim", "5", status=2)
    assert "the interrupted fit has dim=16, not 5" in wrong.stderr
    result = run("fit", "gone.txt", "--resume", "-o", str(output), "--workers", "2", "--json")
    assert "CORPUS is ignored" in result.stderr
    assert len(json.loads(result.stdout)["settings"]["losses"]) == epochs


def write_and_wait(process: subprocess.Popen[str], text: str) -> None:
    """Give a process some text, and return when it has read all of it."""
    fcntl.fcntl(process.stdin, fcntl.F_SETPIPE_SZ, 4096)  # one page: the pipe takes more only when it is empty
    process.stdin.write(text)
    process.stdin.flush()
    select.select([], [process.stdin], [])


@linux
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_during_reading_leaves_no_files(number: signal.Signals, status: int, tmp_path: Path) -> None:
    output = tmp_path / "table"
    with start("-", "-o", output, stdin=subprocess.PIPE) as process:
        write_and_wait(process, "some text that does not end")
        assert any(tmp_path.glob("table.fit/*"))
        process.send_signal(number)
        messages = process.stderr.read()
    assert (process.returncode, list(tmp_path.iterdir())) == (status, [])
    assert messages == ("rowspace: stopped\n" if number == signal.SIGINT else "")


# Another thread receives the signal, so that it does not interrupt the system call of the main thread:
# for that thread, the signal arrives just before the call.
SIGNALS_ELSEWHERE = """
import signal, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
import rowspace.cli
rowspace.cli.main()
"""


@linux
def test_ctrl_c_just_before_a_read_of_a_silent_pipe_ends_the_fit(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SIGNALS_ELSEWHERE, "fit", "-", "-o", tmp_path / "table"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        write_and_wait(process, "some text that does not end")
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)  # stdin stays open
        finally:
            process.kill()
        messages = process.stderr.read()
    assert (process.returncode, messages, list(tmp_path.iterdir())) == (130, "rowspace: stopped\n", [])


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
    for module in ("numpy", "typer", "rowspace.store"):  # the command itself imports the last one
        code = DURING_IMPORTS.format(module=module)
        arguments = [sys.executable, "-c", code, "near", table_path, "class"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "rowspace: stopped\n"), module


def test_process_started_to_ignore_interrupts_ignores_them(table_path: str) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)" + DURING_IMPORTS.format(module="numpy")
    arguments = [sys.executable, "-c", code, "similar", table_path, "class", "method"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

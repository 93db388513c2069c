"""Only one fit at a time can write to an output; a killed fit does not block the next one."""

import signal
import subprocess
import sys

import pytest

import rowspace as rs
from rowspace.errors import RowspaceError, UsageError
from rowspace.learn import Reports, run_folder_of

TEXT = ["the cat sat on the mat and the dog sat on the log"] * 200
SMALL = {"dim": 4, "epochs": 1, "workers": 1, "sample": 0}

# A fit that prints a line at its first progress and then waits until standard input is closed.
WAITING = """
import sys
import rowspace as rs
from rowspace.learn import Reports
def wait(_):
    print("learning", flush=True)
    sys.stdin.read()
text = ["the cat sat on the mat"] * 200
rs.fit(text, output=sys.argv[1], dim=4, epochs=1, sample=0, reports=Reports(on_progress=wait))
"""


@pytest.fixture
def running(tmp_path):
    """A process in the middle of a fit that writes to `table`."""
    command = [sys.executable, "-c", WAITING, tmp_path / "table"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "learning\n"
        yield process
        process.kill()


def test_second_process_is_refused_and_the_first_completes(running, tmp_path):
    for resume in (False, True):
        with pytest.raises(RowspaceError, match=r"another fit is writing to .*table"):
            rs.fit(None if resume else TEXT, output=tmp_path / "table", resume=resume, **SMALL)
    running.stdin.close()
    assert running.wait() == 0
    assert len(rs.load(tmp_path / "table")) == 5
    assert not run_folder_of(tmp_path / "table").exists()


def test_killed_fit_leaves_no_lock(running, tmp_path):
    running.send_signal(signal.SIGKILL)
    running.wait()
    with pytest.raises(UsageError, match="no interrupted fit"):
        rs.fit(output=tmp_path / "table", resume=True)
    assert len(rs.fit(TEXT, output=tmp_path / "table", **SMALL)) == 8


def test_second_fit_in_the_same_process_is_refused(tmp_path):
    refused = []

    def start_another(_progress):
        with pytest.raises(RowspaceError, match="another fit is writing") as caught:
            rs.fit(TEXT, output=tmp_path / "table", **SMALL)
        refused.append(caught)

    rs.fit(TEXT, output=tmp_path / "table", reports=Reports(on_progress=start_another), **SMALL)
    assert refused
    assert len(rs.load(tmp_path / "table")) == 8


# In a process of its own: an audit hook cannot be removed, and while one runs in a thread of Python 3.11, no other can
# install a trace function, as coverage does.
INTERRUPTED = """
import signal
import sys
from pathlib import Path

import rowspace as rs

folder, waiting = Path(sys.argv[1]), []

def interrupt(event, arguments):
    if waiting == [event] and (event == "fcntl.flock" or str(arguments[0]).endswith("table.fit/lock")):
        waiting.clear()
        signal.raise_signal(signal.SIGINT)

sys.addaudithook(interrupt)
for moment in ("open", "fcntl.flock"):
    waiting[:] = [moment]
    try:
        rs.fit(["the cat sat on the mat"] * 50, output=folder / "table")
    except KeyboardInterrupt:
        print("interrupted at", moment, waiting, [path.name for path in folder.iterdir()])
"""


def test_interrupt_while_locking_leaves_no_files(tmp_path):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path], capture_output=True, text=True, check=False)
    assert done.stdout == "interrupted at open [] []\ninterrupted at fcntl.flock [] []\n", done.stderr

import errno
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

import rowspace as rs
from rowspace.cli.failures import told
from rowspace.errors import CorpusError, FitInterrupted, UnknownTokenError, UsageError

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("wrong call"), 2),
        (CorpusError("no text"), 1),
        (UnknownTokenError("no such token"), 1),
        (FitInterrupted("stopped after 3 words"), 1),
    ],
)
def test_error_of_ours_is_one_sentence_and_a_status(
    error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended, told():
        raise error
    assert ended.value.exit_code == status
    assert capsys.readouterr() == ("", f"rowspace: {error}\n")


def test_interruption_has_the_status_of_its_signal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, told():
        raise KeyboardInterrupt
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err == "rowspace: stopped\n"


def test_error_that_nobody_expected_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), told():
        print(1 / 0)
    with pytest.raises(FileExistsError), told():
        raise FileExistsError(errno.EEXIST, "there already")


@pytest.mark.filterwarnings("default")
def test_warning_is_one_sentence_and_the_old_way_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    before = warnings.showwarning
    with told():
        warnings.warn("two words stand twice", stacklevel=1)
    assert capsys.readouterr().err == "rowspace: warning: two words stand twice\n"
    assert warnings.showwarning is before


def test_reader_that_goes_away_is_no_drama(table_path: str, table: rs.Table) -> None:
    words = table.vocabulary[:30]  # more than a pipe holds
    arguments = [sys.executable, "-m", "rowspace", "near", table_path, *words, "-k", "500", "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "{\n"
        process.stdout.close()
        complaint = process.stderr.read()
    assert (process.returncode, complaint) == (1, "")


def test_reader_of_a_table_that_goes_away_is_no_drama(table_path: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    arguments = [sys.executable, "-m", "rowspace", "near", table_path, "class"]
    with subprocess.Popen(arguments, stdout=writing, stderr=subprocess.PIPE, text=True) as process:
        os.close(writing)
        complaint = process.stderr.read()
    assert (process.returncode, complaint) == (1, "")


def test_full_disk_is_told(table_path: str) -> None:
    arguments = [sys.executable, "-m", "rowspace", "near", table_path, "class"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "the disk is full" in done.stderr


def test_streams_and_statuses_of_the_installed_command(table_path: str, tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("rowspace")

    def status(*arguments: str) -> tuple[int, str, bool]:
        done = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, bool(done.stderr)

    assert status("--version") == (0, f"rowspace {rs.__version__}\n", False)
    assert status("similar", table_path, "class", "clas") == (1, "", True)
    assert status("similar", str(tmp_path), "class", "clas") == (1, "", True)
    assert status("similar", "nowhere", "class", "clas") == (2, "", True)
    assert status("similar") == (2, "", True)
    assert status("unheard-of") == (2, "", True)


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, rowspace.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = [
        "numba",
        "llvmlite",
        "torch",
        "tokenizers",
        "safetensors",
        "rowspace.learn",
        "rowspace.text",
        "rowspace.store",
    ]
    assert "rowspace.cli" in loaded
    assert [name for name in heavy if name in loaded] == []

import errno
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rowspace as rs
from rowspace.cli.help import report_errors
from rowspace.errors import CorpusError, FitInterrupted, UnknownTokenError, UsageError

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("wrong call"), 2),
        (CorpusError("no text"), 1),
        (UnknownTokenError("no such token"), 1),
        (FitInterrupted("stopped after 3 words"), 1),
    ],
)
def test_rowspace_error_gives_a_message_and_a_status(
    error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended, report_errors():
        raise error
    assert ended.value.code == status
    assert capsys.readouterr() == ("", f"rowspace: {error}\n")


def test_interrupt_has_the_status_of_its_signal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, report_errors():
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert capsys.readouterr().err == "rowspace: stopped\n"


def test_internal_error_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), report_errors():
        print(1 / 0)
    with pytest.raises(FileExistsError), report_errors():
        raise FileExistsError(errno.EEXIST, "there already")


@pytest.mark.filterwarnings("default")
def test_warning_gives_a_message_and_the_handler_is_restored(capsys: pytest.CaptureFixture[str]) -> None:
    before = warnings.showwarning
    with report_errors():
        warnings.warn("two words are duplicated", stacklevel=1)
    assert capsys.readouterr().err == "rowspace: warning: two words are duplicated\n"
    assert warnings.showwarning is before


def test_system_error_names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, report_errors():
        raise PermissionError(errno.EACCES, "Permission denied", "a/table")
    assert ended.value.code == 1
    assert capsys.readouterr().err == "rowspace: 'a/table': Permission denied; check the path and its permissions\n"


def test_full_disk_gives_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, report_errors():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert ended.value.code == 1
    assert capsys.readouterr().err == "rowspace: the disk is full; free some space, or write to another disk\n"


def test_closed_pipe_ends_long_output_without_a_message(table_path: str, table: rs.Table) -> None:
    words = table.vocabulary[:30]  # more than a pipe holds
    arguments = [sys.executable, "-m", "rowspace", "near", table_path, *words, "-k", "500", "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "{\n"
        process.stdout.close()
        messages = [line for line in process.stderr if "compiling kernels" not in line]  # where none are cached yet
    assert (process.returncode, messages) == (1, [])


def test_typer_errors_have_the_same_style(run: Run, table_path: str) -> None:
    help_of_near = "see rowspace near --help"
    for arguments, message in (
        (("near",), f"missing argument 'TABLE'; {help_of_near}"),
        (("nea", table_path), "no such command 'nea', did you mean 'near'; see rowspace --help"),
        (("near", table_path, "class", "--metric", "l1"), "invalid value for '--metric': "),
        (("near", table_path, "class", "-k", "many"), "invalid value for '-k': "),
        (("info", table_path, "more"), "got unexpected extra argument"),
    ):
        result = run(*arguments, "--json", status=2)
        assert result.stdout == "", arguments
        assert result.stderr.startswith(f"rowspace: {message}"), arguments
        assert result.stderr.count("\n") == 1, arguments


def test_no_command_shows_the_help(run: Run) -> None:
    result = run(status=2)
    assert (result.stdout, result.stderr.splitlines()[0]) == ("", "Example:")


def test_installed_command_has_streams_and_statuses(table_path: str, tmp_path: Path) -> None:
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


def test_help_imports_no_slow_library() -> None:
    code = """
import sys
from contextlib import suppress
from rowspace.cli.app import app, command_names
for command in ([], *([name] for name in command_names())):
    with suppress(SystemExit):
        app([*command, "--help"], prog_name="rowspace")
print(*sys.modules)
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = shown.splitlines()[-1].split()
    assert "rowspace.cli.commands.servers.serve" in loaded
    assert [name for name in ("numba", "torch", "tokenizers", "safetensors", "starlette") if name in loaded] == []

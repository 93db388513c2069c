"""Standard streams that are closed, full, or without a reader: messages and exit statuses, in separate processes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rowspace as rs

CLOSED = "rowspace: standard output is closed, so the result cannot be printed; redirect it to a file\n"
FULL = "rowspace: standard output cannot be written: the disk is full; free some space\n"
Outcome = tuple[int, str, str]


def shell(redirection: str, *arguments: str | Path, input: str = "") -> Outcome:
    """Run a command with a shell redirection; return its status, output and messages."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "rowspace", *arguments]
    done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines(keepends=True)
    return done.returncode, done.stdout, "".join(line for line in lines if "compiling kernels" not in line)


def test_closed_standard_output_gives_a_message(table_path: str) -> None:
    for arguments in (("similar", table_path, "class", "method"), ("--version",), ("near", "--help")):
        assert shell(">&-", *arguments) == (1, "", CLOSED), arguments


def test_full_standard_output_gives_a_message(table_path: str) -> None:
    for arguments in (("near", table_path, "class"), ("--help",), ("info", table_path, "--json")):
        assert shell(">/dev/full", *arguments) == (1, "", FULL), arguments


def test_closed_pipe_ends_the_command_without_a_message(table_path: str) -> None:
    # rich prints the table of `near`, typer the help.
    for arguments in (("near", table_path, "class"), ("--help",)):
        with subprocess.Popen(
            [sys.executable, "-m", "rowspace", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            process.stdout.close()
            messages = [line for line in process.stderr if "compiling kernels" not in line]
        assert (process.returncode, messages) == (1, []), arguments


@pytest.mark.long
def test_fit_saves_the_table_without_standard_error(english: Path, tmp_path: Path) -> None:
    for redirection in ("2>&-", "2>/dev/full"):
        output = tmp_path / f"table{len(redirection)}"
        status, shown, _ = shell(redirection, "fit", english, "-o", output, "--dim", "4", "--epochs", "1")
        assert status == 0, redirection
        assert shown.startswith(f"{len(rs.load(output)):,} tokens × 4"), redirection


def test_messages_do_not_move_to_standard_output_when_standard_error_is_closed(table_path: str, tmp_path: Path) -> None:
    assert shell("2>&-", "convert", table_path, tmp_path / "table.npz") == (0, "", "")
    assert shell("2>&-", "near", table_path) == (2, "", "")


def test_full_standard_error_keeps_the_exit_status(table_path: str) -> None:
    assert shell("2>/dev/full", "near", table_path) == (2, "", "")


def test_closed_standard_input_gives_a_message(table_path: str, tmp_path: Path) -> None:
    for arguments, status in (
        (("split", "-", "--tokens", table_path), 2),
        (("merges", "-"), 2),
        (("coverage", table_path, "-"), 1),
        (("fit", "-", "-o", tmp_path / "table"), 1),
    ):
        ended, _, messages = shell("<&-", *arguments)
        assert ended == status, arguments
        assert messages.startswith("rowspace: standard input is closed; pipe a text into it, or "), arguments
    assert list(tmp_path.iterdir()) == []


def test_command_without_output_needs_no_streams(table_path: str, tmp_path: Path) -> None:
    assert shell(">&- 2>&- <&-", "convert", table_path, tmp_path / "table.npz") == (0, "", "")
    assert len(rs.load(tmp_path / "table.npz")) == len(rs.load(table_path))


def test_output_uses_the_encoding_of_the_stream(
    table_path: str, command: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    shown = command(
        "similar", table_path, "class", "method", env={"PYTHONIOENCODING": "utf-16-le"}, encoding="utf-16-le"
    )
    assert shown.stdout.startswith("cosine of class and method: ")

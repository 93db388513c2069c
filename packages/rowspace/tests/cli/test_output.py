import io
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace.cli.output import file_size, message, print_json, print_table, shown


@pytest.mark.parametrize("token", ["plain", "naïve", "한국어", "e\u0301", "😀"])
def test_printable_token_is_shown_unchanged(token: str) -> None:
    assert shown(token) == token


@pytest.mark.parametrize(
    ("token", "spelled"), [("\x1b[31mred", "\\x1b[31mred"), ("a\nb", "a\\nb"), ("\0", "\\x00"), ("\ud800", "\\ud800")]
)
def test_control_characters_are_escaped(token: str, spelled: str) -> None:
    assert shown(token) == spelled


def test_json_has_null_for_nan(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"loss": [math.nan, 1.5, (math.inf,)], "name": "é"})
    assert json.loads(capsys.readouterr().out) == {"loss": [None, 1.5, [None]], "name": "é"}


def test_brackets_in_tokens_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_table("[bold]title[/bold]", ("token", "score"), [("[UNK]", "1"), (":smile:", "2")])
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("[bold]title[/bold]", "[UNK]", ":smile:"))


def test_long_token_is_folded_not_truncated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table("long", ("token", "score"), [("x" * 100, "1.000")])
    printed = capsys.readouterr().out
    assert printed.count("x") == 100
    assert max(map(len, printed.splitlines())) <= 40


def test_too_small_width_is_ignored(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in ("0", "1", "19"):
        monkeypatch.setenv("COLUMNS", columns)
        print_table("title", ("token", "score"), [("word", "1.000")])
        assert "word    1.000" in capsys.readouterr().out, columns


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (1.5e6, "1.5 MB"), (2e9, "2.0 GB"), (3e15, "3000.0 TB")],
)
def test_file_size_is_readable(size: float, expected: str) -> None:
    assert file_size(size) == expected


class Deaf(io.StringIO):
    """A stream whose reader closed the pipe."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


def test_failed_message_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Deaf())
    with pytest.raises(BrokenPipeError):
        print("a message", file=sys.stderr)
    message("a message")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_token_outside_the_encoding_is_escaped(command: Callable, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "table"
    rs.Table(["naïve", "plain"], np.eye(2, dtype=np.float32)).save(path)
    people = command("near", path, "plain", env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert ("naïve" if encoding == "utf-8" else "na\\xefve") in people.stdout
    program = command("near", path, "plain", "--json", env={"PYTHONIOENCODING": encoding}, encoding=encoding)
    assert json.loads(program.stdout)["queries"][0]["neighbors"] == [{"token": "naïve", "score": 0.0}]

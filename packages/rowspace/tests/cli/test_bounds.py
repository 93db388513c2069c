"""Extreme values for every numeric option: an error message and exit status 2, or a result."""

import typing
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app, command_function, command_names
from rowspace.errors import UsageError
from rowspace.text import TextOptions, TokenizerOptions

WHOLE = ["-1", "0", str(10**11), str(10**30)]
NUMBERS = ["-1", "0", "nan", "inf", "1e308"]
SMALLEST_MODEL = ["--steps=1", "--dim=2", "--heads=1", "--layers=1", "--context=4", "--workers=1", "--tokens=bytes"]
NEEDS = {
    "--vocabulary-size": ["--tokens", "bpe"],
    "--min-frequency": ["--tokens", "bpe"],
    "--min-n": ["--subwords"],
    "--max-n": ["--subwords"],
    "--buckets": ["--subwords"],
}


def numeric_options(command: str) -> list[tuple[str, list[str]]]:
    """The numeric options of a command, with the values to try."""
    hints = typing.get_type_hints(command_function(command))
    parameters = get_command(app).commands[command].params
    return [
        (parameter.opts[0], NUMBERS if float in kinds else WHOLE)
        for parameter in parameters
        if {int, float} & (kinds := {hints.get(parameter.name), *typing.get_args(hints.get(parameter.name))})
    ]


@pytest.mark.long
def test_extreme_numbers_work_or_give_an_error_message(
    table_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("the cat sat on the mat and the dog sat too\n" * 9)
    Path("long").write_text("the cat sat on the mat and the dog sat too\n" * 200)
    Path("edges").write_text("the cat\ncat sat\n")
    Path("pairs").write_text("class\tmethod\t7\nif\tthe\t2\nclass\tthe\t1\n")
    Path("questions").write_text("the cat\tthe mat\nthe dog\tthe floor\n" * 9)
    Path("events.csv").write_text("user,item,time\n" + "".join(f"{n // 3},i{n % 4},{n}\n" for n in range(30)))
    rs.Table(["the", "cat"], [[1.0, 2.0], [3.0, 4.0]]).save("small")
    calls = {
        "near": ["small", "cat"],
        "analogy": [table_path, "class", "method", "module"],
        "eval": [table_path, "pairs"],
        "convert": ["small", "table.npz"],
        "align": ["small", "small", "-o", "aligned"],
        "merge": ["small", "small", "-o", "merged"],
        "compare": ["small", "small"],
        "merges": ["the cat the cat"],
        "coverage": [table_path, "text"],
        "dedupe": ["text", "-o", "kept"],
        "cluster": ["text", "--table", table_path],
        "encode": ["text", "--table", table_path, "-o", "vectors.npy"],
        "distill": ["nowhere", "-o", "distilled"],
        "tune": [table_path, "questions", "-o", "tuned"],
        "index": ["text", "--table", table_path, "-o", "index"],
        "search": ["index", "cat"],
        "bridge": ["index", "small"],
        "mcp": ["nowhere"],
        "serve": ["nowhere"],
        "lab": ["nowhere", "--no-open"],
        "train": ["long", "-o", "run", *SMALLEST_MODEL],
        "arena": ["text", "--tasks", "images", "--quick"],
        "fit-items": ["events.csv", "-o", "items", "--workers", "1", "--dim", "2", "--epochs", "1"],
        "fit-graph": ["edges", "-o", "nodes", "--workers", "1", "--dim", "2"],
        "fit": ["text", "-o", "table", "--workers", "1", "--dim", "2", "--epochs", "1"],
    }
    tried = 0
    for command in command_names():
        for option, values in numeric_options(command):
            for value in values:
                argument = f"{option}={value}" if option.startswith("--") else f"{option}{value}"
                arguments = [command, *calls[command], *NEEDS.get(option, []), argument]
                result = CliRunner().invoke(app, arguments)
                case = f"{command} {argument[:40]}: {result.output[-300:]}"
                assert isinstance(result.exception, SystemExit | None), case
                last = result.stderr.splitlines()[-1:]
                rare = ("rowspace: no word is as frequent as", "rowspace: no item is in min_count=")
                too_rare = option == "--min-count" and last and last[0].startswith(rare)
                assert result.exit_code == 1 if too_rare else result.exit_code in (0, 2), case
                assert result.exit_code == 0 or last[0].startswith("rowspace: "), case
                tried += 1
    assert tried > 90


def test_python_options_have_the_same_bounds() -> None:
    for options, name in (
        (TextOptions, "min_count"),
        (TextOptions, "max_vocabulary"),
        (TextOptions, "workers"),
        (TokenizerOptions, "vocabulary_size"),
        (TokenizerOptions, "min_frequency"),
    ):
        for value in (-1, 0, 10**30, True, 1.5, "3"):
            with pytest.raises(UsageError, match=f"{name} must be a whole number from 1 to "):
                options(**{name: value} | ({"tokens": "bpe"} if options is TokenizerOptions else {}))

"""Commands that read records agree on their columns, and on what they refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

Run = Callable[..., Any]
TEXTS = ["a red cat sat on the mat", "the dog ran in the park"]


@pytest.fixture
def commands(table_path: str, tmp_path: Path) -> list[list[str]]:
    table, out = ["--table", table_path], str(tmp_path / "out")
    return [
        ["fit", "-o", out],
        ["encode", *table, "-o", f"{out}.npy", "--strict"],
        ["index", *table, "-o", f"{out}-index"],
        ["classify", "fit", "-o", f"{out}-classifier"],
        ["dedupe"],
        ["cluster", *table],
    ]


def test_commands_refuse_records_in_the_same_words(run: Run, commands: list[list[str]], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "a cat", "label": 1}\n{"text": null, "label": 1}\n')
    (tmp_path / "empty.csv").write_text("text,label\n")
    parquet.write_table(pa.table({"text": [""][:0]}), tmp_path / "empty.parquet")
    no_column = "there is no column 'body'; it has "
    for name, column, status, expected in (
        ("none.jsonl", "text", 2, f"there is no file or folder '{tmp_path / 'none.jsonl'}'; check the path"),
        ("rows.jsonl", "body", 2, f"rows.jsonl: line 1: {no_column}'label', 'text'; name one with --column (column= "),
        ("empty.csv", "body", 2, f"empty.csv: {no_column}"),
        ("empty.parquet", "body", 2, f"empty.parquet: {no_column}"),
        ("rows.jsonl", "text", 1, "rows.jsonl: line 2: the column 'text' has no value, expected a text; repair"),
    ):
        for command in commands:
            assert expected in run(*command, str(tmp_path / name), "--column", column, status=status).stderr, command


def test_a_nested_column_of_an_array_is_read_by_every_command(
    run: Run, commands: list[list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"label": n % 2, "a": {"b": TEXTS[n % 2], "n": n}} for n in range(20)]))
    commands[0] += ["--min-count", "1", "--epochs", "1"]
    commands[3] += ["--method", "ngrams"]
    for command in commands:
        run(*command, str(path), "--column", "a.b")
    found = json.loads(run("search", str(tmp_path / "out-index"), "red cat", "-k", "1", "--json").stdout)["hits"][0]
    assert found["metadata"] == {"a": '{"n": 0}', "label": 0}

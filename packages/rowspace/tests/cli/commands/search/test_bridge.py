"""`rowspace bridge`, and `rowspace search` through it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rowspace as rs

Run = Callable[..., Any]


@pytest.fixture
def new_table(english: Path, tmp_path: Path) -> str:
    rs.fit(english, output=tmp_path / "new-table", dim=12, epochs=1, workers=1, seed=5)
    return str(tmp_path / "new-table")


def test_index_is_queried_with_a_new_table(run: Run, table_path: str, new_table: str, english: Path) -> None:
    index = str(Path(new_table).with_name("my-index"))
    run("index", str(english), "-o", index, "--table", table_path, "--max-chars", "200")
    search = ("search", index, "the king", "-k", "2", "--table", new_table)
    assert "learn a bridge to it with rowspace bridge" in run(*search, status=2).stderr
    built = run("bridge", index, new_table, "--held-out", "50", "--kind", "linear")
    assert "linear map, learned from " in built.stdout
    assert "recall@10 of 50 held-out passages: 0." in built.stdout
    assert "rowspace: encoding passages" in built.stderr
    assert "queries go through a bridge with recall@10 0." in run(*search).stderr
    document = json.loads(run(*search, "--json").stdout)
    facts = json.loads(run("bridge", index, new_table, "--held-out", "50", "--kind", "linear", "--json").stdout)
    assert document["bridge"] == {name: value for name, value in facts.items() if name not in ("index", "table")}
    assert "build the index again with --rebuild" in run("index", "-o", index, "--table", new_table, status=2).stderr
    run("index", str(english), "-o", index, "--table", new_table, "--rebuild")
    assert run(*search).stderr == ""


def test_wrong_usage(run: Run, table_path: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the king and the queen")
    index = str(tmp_path / "index")
    run("index", str(tmp_path / "a.txt"), "-o", index, "--table", table_path)
    for arguments, expected in {
        ("nothing", table_path): "create it with rowspace index",
        (index, "nothing"): "there is no file or folder",
        (index, table_path): "so it needs no bridge",
        (index, table_path, "--sample", "3"): "sample must be a whole number from 100",
    }.items():
        assert expected in run("bridge", *arguments, status=2).stderr, arguments

"""`rowspace fit-items` learns the same rows as `fit_items`; its options are those of the dataclasses."""

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import rowspace as rs
from rowspace.cli.app import app
from rowspace.learn import BasketOptions, ItemOptions, Items

Run = Callable[..., Any]
QUICK = ("--dim", "4", "--epochs", "3")


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Forty users with six items each, of one of two groups."""
    generator = np.random.default_rng(0)
    lines = ["who,item,day"]
    for user in range(40):
        for item in generator.choice(10, 6, replace=False) + 10 * (user % 2):
            lines.append(f"u{user},green {item},2024-05-{1 + item % 3:02}")
    path = tmp_path / "events.csv"
    path.write_text("\n".join(lines))
    return path


def test_table_is_that_of_python(run: Run, events: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "items")
    shown = run("fit-items", str(events), "-o", output, "--user-column", "who", "--evaluate", *QUICK)
    assert "read 240 pairs of a user and an item" in shown.stderr
    assert "learning: epoch 3 of 3, loss " in shown.stderr
    assert "20 items × 4 and 40 users" in shown.stdout
    assert "of held-out items of 40 users, the first 20 recommendations have: recall 1.000, NDCG " in shown.stdout
    assert f"saved in {output}; try: rowspace near {output} 'green " in shown.stdout
    expected = rs.fit_items(events, user_column="who", dim=4, epochs=3)
    np.testing.assert_array_equal(rs.load(output).rows, expected.items.rows)
    assert Items.load(output).recommend("u7", k=3) == expected.recommend("u7", k=3)
    assert "green" in run("near", output, "green 3").stdout


def test_json_of_sessions(run: Run, events: Path, tmp_path: Path) -> None:
    arguments = ("--user-column", "who", "--time-column", "day", "--gap", "3600", "--model", "item2vec", *QUICK)
    document = json.loads(run("fit-items", str(events), "-o", str(tmp_path / "items"), "--json", *arguments).stdout)
    assert document["num_embeddings"] == 20
    assert document["users"] > 100
    assert document["scores"] is None
    assert document["settings"]["model"] == "item2vec"


def test_options_are_those_of_the_dataclasses(run: Run) -> None:
    parameters = {each.name for each in get_command(app).commands["fit-items"].params}
    assert {field.name for kind in (ItemOptions, BasketOptions) for field in fields(kind)} <= parameters


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("events.csv",), 2, "there is no column 'user'; it has 'day', 'item', 'who'; name one with --user-column"),
        (("events.csv", "--user-column", "day", "--window", "3"), 2, "window is an option of model='item2vec'"),
        (("none.csv",), 2, "there is no file or folder 'none.csv'"),
        (("lonely.txt",), 2, "none of the 2 baskets has two different items"),
        (("",), 2, "FILE and -o must not be empty"),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(
    run: Run, events: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, message: str
) -> None:
    monkeypatch.chdir(events.parent)
    Path("lonely.txt").write_text("milk,bread\nmilk\n")
    before = sorted(events.parent.iterdir())
    assert message in run("fit-items", *arguments, "-o", "items", *QUICK, status=status).stderr.splitlines()[-1]
    assert sorted(events.parent.iterdir()) == before

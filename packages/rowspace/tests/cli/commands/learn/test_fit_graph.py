"""`rowspace fit-graph` learns the same table as `fit_graph`; its options are those of the dataclass."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command

import rowspace as rs
from rowspace._base.options import option_fields
from rowspace.cli.app import app
from rowspace.learn import GraphOptions

Run = Callable[..., Any]
QUICK = ("--dim", "8", "--walks", "2", "--workers", "1")


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "edges.txt"
    path.write_text("# friends\n" + "".join(f"n{a} n{b} {1 + a % 3}\n" for a in range(9) for b in range(a)))
    return path


def test_help_has_every_option_with_its_default(run: Run) -> None:
    parameters = {each.name: each for each in get_command(app).commands["fit-graph"].params}
    for field in option_fields(GraphOptions):
        assert parameters[field.name].help == f"{field.option.help}  [default: {field.default}]"
    assert "rowspace fit-graph friends.txt -o people" in run("fit-graph", "--help").stdout


def test_same_table_as_from_python(run: Run, edges: Path, tmp_path: Path) -> None:
    run("fit-graph", str(edges), "-o", str(tmp_path / "table"), "--p", "0.5", "--q", "2", "--directed", *QUICK)
    learned = rs.load(tmp_path / "table")
    expected = rs.fit_graph(edges, p=0.5, q=2, directed=True, dim=8, walks=2, workers=1)
    assert learned.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(learned.rows, expected.rows)


def test_summary_and_document(run: Run, edges: Path, tmp_path: Path) -> None:
    shown = run("fit-graph", str(edges), "-o", str(tmp_path / "table"), *QUICK)
    assert "9 nodes × 8, learned from 36 undirected edges" in shown.stdout
    assert "rowspace near" in shown.stdout
    assert "read: 9 nodes, 36 edges" in shown.stderr
    found = json.loads(run("fit-graph", str(edges), "-o", str(tmp_path / "table"), "--json", *QUICK).stdout)
    assert (found["num_embeddings"], found["embedding_dim"], found["settings"]["kind"]) == (9, 8, "node")


def test_info_shows_the_kind_and_visits(run: Run, edges: Path, tmp_path: Path) -> None:
    run("fit-graph", str(edges), "-o", str(tmp_path / "table"), *QUICK)
    shown = " ".join(run("info", str(tmp_path / "table")).stdout.split())
    assert "kind a row for each node" in shown
    assert "visits in total" in shown
    facts = json.loads(run("info", str(tmp_path / "table"), "--json").stdout)
    assert (facts["kind"], facts["counts_of"]) == ("node", "visits")


def test_wrong_input_is_one_sentence(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("a b c\n")
    message = run("fit-graph", str(path), "-o", str(tmp_path / "table"), status=1).stderr
    assert "line 1: the third column is 'c'" in message
    assert not (tmp_path / "table").exists()
    assert "EDGES and -o must not be empty" in run("fit-graph", str(path), "-o", "", status=2).stderr

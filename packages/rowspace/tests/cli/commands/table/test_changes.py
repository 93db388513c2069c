import json

import pytest

import rowspace as rs


@pytest.fixture
def later(table, tmp_path):
    """The path of the table in other axes, with the row of a word turned around."""
    rows = table.rows[:, ::-1].copy()
    rows[table.id("class")] *= -1
    path = tmp_path / "later"
    rs.Table(table.vocabulary, rows, table.counts).save(path)
    return str(path)


def test_the_most_changed_token_comes_first_with_its_neighbors(run, table_path, table, later):
    lines = run("changes", table_path, later, "-k", "2").stdout.splitlines()
    assert lines[0].startswith(f"{table_path} to {later}: ")
    first = next(line for line in lines if line.startswith("class"))
    assert float(first.split()[1]) < -0.9
    near = [token for token, _ in table.neighbors("class", k=3)]
    assert first.split()[2:5] == near
    assert first.split()[5:] != near


def test_json_has_each_step(run, table_path, later):
    facts = json.loads(run("changes", table_path, later, table_path, "-k", "1", "--min-count", "50", "--json").stdout)
    assert [(step["before"], step["after"]) for step in facts["steps"]] == [(table_path, later), (later, table_path)]
    assert [step["changed"][0]["token"] for step in facts["steps"]] == ["class", "class"]
    assert all(len(step["changed"]) == 1 and step["median_cosine"] > 0.99 for step in facts["steps"])


def test_errors(run, table_path):
    assert "needs at least two tables, got only" in run("changes", table_path, status=2).stderr
    rare = run("changes", table_path, table_path, "--min-count", "1000000", status=2).stderr
    assert "give a lower min_count" in rare

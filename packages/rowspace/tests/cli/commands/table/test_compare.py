import json

import numpy as np
import pytest

import rowspace as rs


@pytest.fixture
def paths(table, tmp_path):
    """Two tables of the same words in other axes: one with the row of a word turned around, one with a little noise."""
    noise = np.random.default_rng(0).normal(scale=0.02, size=table.rows.shape)
    rows = table.rows[:, ::-1] + noise[::-1]
    rows[table.id("class")] *= -1
    for name, changed in {"later": rows, "refit": table.rows + noise}.items():
        rs.Table(table.vocabulary, changed.astype(np.float32), table.counts).save(tmp_path / name)
    return str(tmp_path / "later"), str(tmp_path / "refit")


def test_the_most_changed_token_comes_first_with_its_neighbors(run, table_path, table, paths):
    lines = run("compare", table_path, paths[0], "--null", paths[1], "-k", "2").stdout.splitlines()
    assert lines[0] == f"{len(table):,} shared tokens, 0 only in {table_path}, 0 only in {paths[0]}"
    frequent = int((table.counts >= 20).sum())
    rare = len(table) - frequent
    assert lines[1] == f"{frequent:,} tokens compared; left out: {rare:,} with a count below 20"
    assert lines[2] == f"{paths[0]} was rotated into the axes of {table_path}"
    assert lines[3].startswith("median cosine 0.99")
    assert lines[4].startswith("beyond the null: ")
    first = next(line for line in lines if line.startswith("class")).split()
    assert float(first[1]) < -0.9
    assert first[3] == "yes"


def test_without_a_null_the_command_says_how_to_make_one(run, table_path, paths):
    output = run("compare", table_path, paths[0], "--sample", "7").stdout
    assert "7 tokens compared, a sample of " in output
    assert "no null: two fits of the same text differ too" in output
    assert "beyond" not in output


def test_json_has_the_facts_and_the_tokens(run, table_path, table, paths):
    output = run("compare", table_path, paths[0], "--null", paths[1], "-k", "3", "--min-count", "50", "--json").stdout
    facts = json.loads(output)
    assert (facts["before"], facts["after"], facts["null"]) == (table_path, paths[0], [paths[1]])
    assert facts["compared"] == int((table.counts >= 50).sum())
    assert len(facts["changed"]) == 3
    one = facts["changed"][0]
    assert (one["token"], one["beyond"], one["count"]) == ("class", True, int(table.counts[table.id("class")]))
    assert len(one["before"]) == len(one["after"]) == 10


def test_identical_tables_are_reported(run, table_path):
    assert "so nothing changed" in run("compare", table_path, table_path, status=2).stderr

import json

import numpy as np
import pytest

import rowspace as rs


@pytest.fixture
def other(table, tmp_path):
    """The path of a table with half of the words, in other axes, and a new word."""
    rows = np.concatenate([np.ones((1, 16)), table.rows[::2, ::-1]]).astype(np.float32)
    path = tmp_path / "other"
    rs.Table(["new word", *table.vocabulary[::2]], rows).save(path)
    return str(path)


def test_merge_shows_the_neighbors_kept(run, table_path, table, other, tmp_path):
    output = str(tmp_path / "merged")
    lines = run("merge", table_path, other, "--weight", "3", "--weight", "1", "-o", output).stdout.splitlines()
    assert lines[0] == "merged by average"
    rows = [line.split() for line in lines if "%" in line and len(line.split()) == 4]
    assert [row[1:3] for row in rows] == [[f"{len(table):,}", "0.75"], [f"{len(table) // 2 + 1:,}", "0.25"]]
    assert any(line.startswith(f"{len(table) + 1:,} tokens × 16, aligned on ") for line in lines)
    np.testing.assert_allclose(rs.load(output)[list(table)], table.rows, atol=1e-4)


def test_json_has_the_settings_of_the_merged_table(run, table_path, other, tmp_path):
    output = str(tmp_path / "merged")
    facts = json.loads(run("merge", table_path, other, "--method", "slerp", "-o", output, "--json").stdout)
    settings = dict(rs.load(output).settings)
    assert {name: facts[name] for name in settings} == settings
    assert facts["tables"] == [table_path, other]
    assert facts["neighbors_kept"][0] > 0.95


def test_task_of_tables_with_the_same_origin(run, table_path, table, tmp_path):
    changed, output = tmp_path / "changed", str(tmp_path / "merged")
    rs.Table(table.vocabulary, table.rows + 1, tokenizer=table.tokenizer).save(changed)
    arguments = ("merge", str(changed), "--method", "task", "--base", table_path, "--same-origin", "--neighbors", "0")
    lines = run(*arguments, "--weight", "-2", "-o", output).stdout.splitlines()
    assert lines[-2].startswith(f"{len(table):,} tokens × 16")
    np.testing.assert_allclose(rs.load(output).rows, table.rows - 2, atol=1e-5)
    facts = json.loads(run(*arguments, "-o", output, "--json").stdout)
    assert facts["base"] == table_path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "ties"], "'ties' is not one of 'average', 'slerp', 'task'"),
        (["--method", "task"], "needs a base"),
        (["--weight", "1"], "weights must be 2 numbers, one for each table"),
        (["--base", "nowhere"], "nowhere"),
    ],
)
def test_errors(run, table_path, other, tmp_path, options, message):
    output = str(tmp_path / "merged")
    assert message in run("merge", table_path, other, *options, "-o", output, status=2).stderr
    assert not (tmp_path / "merged").exists()

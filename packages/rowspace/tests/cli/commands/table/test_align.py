import json

import numpy as np
import pytest

import rowspace as rs


@pytest.fixture
def rotated(table, tmp_path):
    """The path of the table with its columns in reverse order, and its words with a star."""
    path = tmp_path / "rotated"
    rs.Table([f"{word}*" for word in table], np.ascontiguousarray(table.rows[:, ::-1])).save(path)
    return str(path)


def test_align_by_pairs_and_evaluate(run, table_path, table, rotated, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.txt").write_text("".join(f"{word}*\t{word}\n" for word in table.vocabulary[:100]))
    (tmp_path / "other.txt").write_text("".join(f"{word}* {word}\n" for word in table.vocabulary[100:150]) + "no non\n")
    arguments = ("align", rotated, table_path, "--pairs", "pairs.txt", "--evaluate", "other.txt", "-o", "out")
    lines = run(*arguments).stdout.splitlines()
    assert "aligned on 100 pairs of tokens, whose mean cosine is now 1.000" in lines[0]
    assert lines[1].startswith("translations of 50 words: 100.0% among the first 1, ")
    assert lines[1].endswith("2.0 % of the words are unknown")
    np.testing.assert_allclose(rs.load("out").rows, table.rows, atol=1e-5)
    facts = json.loads(run(*arguments, "--json").stdout)
    assert facts["pairs"] == 100
    assert facts["cosine"] == pytest.approx(1, abs=1e-5)
    assert facts["dictionary"]["precision"] == {"1": 1.0, "5": 1.0, "10": 1.0}


def test_align_by_shared_tokens(run, table_path, table, tmp_path):
    output = str(tmp_path / "out")
    facts = json.loads(run("align", table_path, table_path, "-o", output, "--scale", "--json").stdout)
    assert facts["pairs"] == len(table)
    assert "dictionary" not in facts
    np.testing.assert_allclose(rs.load(output).rows, table.rows, atol=1e-5)


def test_errors(run, table_path, rotated, tmp_path):
    output = str(tmp_path / "out")
    assert "share no token" in run("align", rotated, table_path, "-o", output, status=2).stderr
    assert "'-o'" in run("align", rotated, table_path, status=2).stderr
    missing = run("align", rotated, table_path, "--pairs", "missing.txt", "-o", output, status=2).stderr
    assert "no file or folder 'missing.txt'" in missing
    assert not (tmp_path / "out").exists()

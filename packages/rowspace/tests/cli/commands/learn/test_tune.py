import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rowspace as rs

Run = Callable[..., Any]


def test_tuned_table_and_its_recall(run: Run, table_path: str, table: rs.Table, tmp_path: Path) -> None:
    words = list(table.vocabulary)[:60]
    lines = [
        f"{first} {second}\t{second} {third}" for first, second, third in zip(words, words[1:], words[2:], strict=False)
    ]
    pairs, output = tmp_path / "pairs.tsv", str(tmp_path / "tuned")
    pairs.write_text("\n".join(lines))
    done = run("tune", table_path, str(pairs), "-o", output, "--epochs", "2", "--smallest", "8", "--batch-size", "16")
    assert f"{len(table):,} tokens × 16, tuned on 52 pairs" in done.stdout
    assert "recall@10 of 6 held-out pairs with 8 columns: " in done.stdout
    assert "step 8 of 8, loss " in done.stderr
    again = json.loads(run("tune", table_path, str(pairs), "-o", f"{output}2", "--epochs", "2", "--json").stdout)
    assert (again["epochs"], again["pairs"], len(again["losses"])) == (2, 52, 2)
    tuned = rs.load(output)
    assert list(tuned.vocabulary) == list(table.vocabulary)
    assert (tuned.rows != table.rows).any()
    np.testing.assert_array_equal(tuned.counts, table.counts)


def test_usage_errors(run: Run, table_path: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('["a", "b"]\n{"query": 1}\n')
    before = sorted(tmp_path.iterdir())
    for arguments, status, complaint in [
        ((str(tmp_path / "none"),), 2, "there is no file"),
        ((str(pairs),), 1, 'line 2: expected the names "query" and "positive"; repair the line or remove it'),
        ((str(pairs), "--epochs", "0"), 2, "epochs"),
    ]:
        assert complaint in run("tune", table_path, *arguments, "-o", str(tmp_path / "out"), status=status).stderr
    assert sorted(tmp_path.iterdir()) == before

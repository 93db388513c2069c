import json
from collections.abc import Callable
from typing import Any

import pytest

import rowspace as rs

Run = Callable[..., Any]


def test_two_words_give_one_line(run: Run, table_path: str, table: rs.Table) -> None:
    shown = run("similar", table_path, "class", "if").stdout
    assert shown == f"cosine of class and if: {table.similarity('class', 'if'):.3f}\n"


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_several_words_give_a_matrix(run: Run, table_path: str, table: rs.Table, metric: str) -> None:
    words = ["class", "if", "the"]
    document = json.loads(run("similar", table_path, *words, "--metric", metric, "--json").stdout)
    expected = [[table.similarity(a, b, metric=metric) for b in words] for a in words]
    assert document["words"] == words
    assert document["scores"] == [pytest.approx(line) for line in expected]

    lines = run("similar", table_path, *words, "--metric", metric).stdout.splitlines()
    assert lines[1].split() == [metric, *words]
    assert [line.split()[0] for line in lines[3:6]] == words
    assert lines[3].split()[2] == f"{expected[0][1]:.3f}"


def test_one_word_is_an_error(run: Run, table_path: str) -> None:
    assert "at least two words" in run("similar", table_path, "class", status=2).stderr

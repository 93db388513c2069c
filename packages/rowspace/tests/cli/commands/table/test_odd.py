import json
from collections.abc import Callable
from typing import Any

import rowspace as rs

Run = Callable[..., Any]
WORDS = ["class", "method", "attribute", "the"]


def test_odd_one_equals_that_of_the_table_and_is_last(run: Run, table_path: str, table: rs.Table) -> None:
    odd = table.odd_one_out(WORDS)
    lines = run("odd", table_path, *WORDS).stdout.splitlines()
    assert lines[0] == f"odd one out: {odd}"
    judged = [line.split() for line in lines[3 : 3 + len(WORDS)]]
    assert judged[-1][0] == odd
    assert sorted(token for token, _ in judged) == sorted(WORDS)
    cosines = [float(cosine) for _, cosine in judged]
    assert cosines == sorted(cosines, reverse=True)


def test_json_keeps_the_order_of_the_words(run: Run, table_path: str, table: rs.Table) -> None:
    document = json.loads(run("odd", table_path, *WORDS, "--json").stdout)
    assert document["odd"] == table.odd_one_out(WORDS)
    assert [entry["token"] for entry in document["words"]] == WORDS


def test_two_words_are_an_error(run: Run, table_path: str) -> None:
    assert "at least 3" in run("odd", table_path, "class", "the", status=2).stderr

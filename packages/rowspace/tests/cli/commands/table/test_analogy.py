import json
from collections.abc import Callable
from typing import Any

import pytest

import rowspace as rs

Run = Callable[..., Any]
QUESTION = ("class", "method", "module")


@pytest.mark.parametrize("method", ["3cosadd", "3cosmul"])
@pytest.mark.parametrize("keep_inputs", [False, True])
def test_answers_equal_those_of_the_table(
    run: Run, table_path: str, table: rs.Table, method: str, keep_inputs: bool
) -> None:
    options = ["-k", "4", "--method", method, *(["--keep-inputs"] if keep_inputs else [])]
    document = json.loads(run("analogy", table_path, *QUESTION, *options, "--json").stdout)
    expected = table.analogy(*QUESTION, k=4, method=method, keep_inputs=keep_inputs)
    assert [(entry["token"], entry["score"]) for entry in document["answers"]] == expected
    assert (document["inputs"], document["inputs_kept"]) == (list(QUESTION), keep_inputs)


def test_kept_inputs_are_marked(run: Run, table_path: str) -> None:
    result = run("analogy", table_path, *QUESTION, "--keep-inputs", "-k", "2000")
    assert "may include the inputs" in result.stderr
    marked = [line.split()[0] for line in result.stdout.splitlines() if "(input)" in line]
    assert sorted(marked) == sorted(QUESTION)


def test_question_is_the_title(run: Run, table_path: str) -> None:
    result = run("analogy", table_path, *QUESTION)
    assert result.stdout.startswith("class is to method as module is to\ntoken")
    assert result.stderr == ""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs

Run = Callable[..., Any]

PAIRS = "# word word judgment\nclass\tmethod\t7\nif\tthe\t2\nclass\tthe\t1\nmodule\tunheardof\t5\n"
ANALOGIES = ": parts\nclass method module name\nIf Then While Do\n: none\nclass method module unheardof\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text(PAIRS)
    return path


@pytest.fixture
def analogies(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text(ANALOGIES)
    return path


def test_kind_of_file_is_recognized_by_content(
    run: Run, table_path: str, table: rs.Table, pairs: Path, analogies: Path
) -> None:
    document = json.loads(run("eval", table_path, str(analogies), str(pairs), "--json").stdout)
    (on_pairs,), (on_analogies,) = document["pairs"], document["analogies"]
    expected = table.evaluate_pairs(pairs)
    assert (on_pairs["file"], on_pairs["used"], on_pairs["oov_ratio"]) == (str(pairs), 3, 25.0)
    assert on_pairs["pearson"] == {"r": expected.pearson.r, "p": expected.pearson.p}
    assert on_pairs["spearman"]["r"] == expected.spearman.r
    assert [section["name"] for section in on_analogies["sections"]] == ["parts", "none"]
    assert on_analogies["total"]["total"] == table.evaluate_analogies(analogies).total.total == 2


def test_sections_are_printed_with_their_total(run: Run, table_path: str, pairs: Path, analogies: Path) -> None:
    lines = [line.split() for line in run("eval", table_path, str(pairs), str(analogies)).stdout.splitlines()]
    assert ["file", "used", "unknown", "Pearson", "Spearman"] in lines
    assert any(line[:4] == ["pairs.tsv", "3", "25.0", "%"] for line in lines)
    assert ["none", "0", "0", "–"] in lines
    assert any(line[:2] == ["Total", "accuracy"] for line in lines)


@pytest.mark.parametrize(
    ("option", "settings"),
    [
        (["--restrict-vocab", "20"], {"restrict_vocab": 20}),
        (["--restrict-vocab", "0"], {"restrict_vocab": None}),
        (["--case-sensitive"], {"case_insensitive": False}),
        (["--dummy4unknown"], {"dummy4unknown": True}),
    ],
)
def test_options_reach_the_table(
    run: Run, table_path: str, table: rs.Table, analogies: Path, option: list[str], settings: dict[str, object]
) -> None:
    document = json.loads(run("eval", table_path, str(analogies), *option, "--json").stdout)
    expected = table.evaluate_analogies(analogies, **settings)
    (scores,) = document["analogies"]
    assert (scores["total"]["total"], scores["oov_ratio"]) == (expected.total.total, expected.oov_ratio)
    assert document.items() >= settings.items()


@pytest.mark.parametrize("line", ["class method module name\n", "class\tmethod\tmodule\tname\n"])
def test_four_words_without_a_section_are_an_analogy(run: Run, table_path: str, tmp_path: Path, line: str) -> None:
    path = tmp_path / "questions.txt"
    path.write_text(line)
    assert "before the first ': section'" in run("eval", table_path, str(path), status=1).stderr


@pytest.mark.parametrize(("content", "why"), [("", "has no word pairs"), ("a b\n", "expected word, word, number")])
def test_file_of_neither_kind_is_an_error(run: Run, table_path: str, tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "file.txt"
    path.write_text(content)
    assert why in run("eval", table_path, str(path), status=1).stderr


def test_missing_file_is_an_error(run: Run, table_path: str) -> None:
    assert "no file or folder 'no-such.tsv'" in run("eval", table_path, "no-such.tsv", status=2).stderr


def test_accuracy_is_0_without_correct_answers_and_absent_without_questions(run: Run, tmp_path: Path) -> None:
    path, questions = tmp_path / "table", tmp_path / "questions.txt"
    rs.Table(["a", "b", "c", "d", "e"], np.eye(5)).save(path)  # d and e tie, so d, the lower id, is the answer
    questions.write_text(": wrong\na b c e\n: empty\na b c unheardof\n")
    lines = [line.split() for line in run("eval", str(path), str(questions)).stdout.splitlines()]
    assert ["wrong", "0", "1", "0.0", "%"] in lines
    assert ["empty", "0", "0", "–"] in lines

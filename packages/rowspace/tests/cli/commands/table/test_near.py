import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models

import rowspace as rs

Run = Callable[..., Any]


def neighbors_of(document: str) -> list[list[tuple[str, float]]]:
    queries = json.loads(document)["queries"]
    return [[(entry["token"], entry["score"]) for entry in query["neighbors"]] for query in queries]


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_neighbors_equal_those_of_the_table(run: Run, table_path: str, table: rs.Table, metric: str) -> None:
    shown = run("near", table_path, "class", "if", "-k", "7", "--metric", metric, "--json").stdout
    assert neighbors_of(shown) == [table.neighbors(word, k=7, metric=metric) for word in ("class", "if")]


def test_mean_searches_once_for_all_words(run: Run, table_path: str, table: rs.Table) -> None:
    shown = run("near", table_path, "class", "if", "--mean", "--json").stdout
    assert neighbors_of(shown) == [table.neighbors(["class", "if"])]
    assert run("near", table_path, "class", "if", "--mean").stdout.startswith("class + if\n")


def test_each_word_has_its_own_table(run: Run, table_path: str, table: rs.Table) -> None:
    lines = run("near", table_path, "class", "if", "-k", "1").stdout.splitlines()
    (near_class,), (near_if,) = table.neighbors("class", k=1), table.neighbors("if", k=1)
    rows = [line.split() for line in lines if line.strip() and "─" not in line]
    assert rows == [
        ["class"],
        ["token", "cosine"],
        [near_class[0], f"{near_class[1]:.3f}"],
        ["if"],
        ["token", "cosine"],
        [near_if[0], f"{near_if[1]:.3f}"],
    ]


def test_unknown_word_suggests_similar_spellings(run: Run, table_path: str) -> None:
    result = run("near", table_path, "clas", status=1)
    assert result.stdout == ""
    assert result.stderr.startswith("rowspace: token 'clas' is not in the vocabulary; did you mean 'class'")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("wrong", [("-k", "0"), ("-k", "many"), ("--metric", "taxicab")])
def test_invalid_option_is_a_usage_error(run: Run, table_path: str, wrong: tuple[str, str]) -> None:
    result = run("near", table_path, "class", *wrong, status=2)
    assert result.stdout == ""
    assert result.stderr


def test_token_with_a_row_of_nan_is_an_error(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    rs.Table(["good", "bad", "fine"], np.array([[1.0, 2.0], [np.nan, 1.0], [2.0, 1.0]])).save(path)
    for command in (("near", "bad"), ("similar", "good", "bad"), ("odd", "good", "fine", "bad")):
        messages = run(command[0], path, *command[1:], status=1).stderr
        assert messages.startswith("rowspace: the row of 'bad' has NaN or infinity"), command


def test_token_with_a_row_of_zeros_has_no_neighbors(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    rs.Table(["good", "zero", "fine"], np.array([[1.0, 2.0], [0.0, 0.0], [2.0, 1.0]])).save(path)
    messages = run("near", path, "good", "zero", status=1).stderr
    assert messages == "rowspace: the row of 'zero' is zero, so it has no neighbors; use another token\n"
    assert "fine" in run("near", path, "zero", "--metric", "euclidean").stdout


def test_byte_level_tokens_are_shown_as_text_and_found_by_it(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    tokens = ["king", "Ġking", "å°", "Ġx"]
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [0.5, 0.4], [0.0, 1.0]])
    rs.Table(tokens, rows, tokenizer=byte_level(tokens)).save(path)
    for word in (" king", "␣king", "Ġking"):
        shown = run("near", path, word).stdout
        assert shown.startswith("␣king\n"), word
        assert [line.split("  ")[0] for line in shown.splitlines()[3:6]] == ["king", "⟨E5 B0⟩", "␣x"]
    (query,) = json.loads(run("near", path, "king", "--json").stdout)["queries"]
    assert query["words"] == ["king"]
    assert [each["token"] for each in query["neighbors"]] == ["Ġking", "å°", "Ġx"]
    assert "␣king is to ⟨E5 B0⟩ as king is to" in run("analogy", path, " king", "⟨E5 B0⟩", "king").stdout
    assert "of ␣king and king" in run("similar", path, " king", "king").stdout
    assert "odd one out: ␣x" in run("odd", path, " king", "king", " x").stdout
    assert "king, ␣king, ⟨E5 B0⟩, ␣x" in run("info", path).stdout
    assert json.loads(run("info", path, "--json").stdout)["first_tokens"][1]["token"] == "Ġking"
    assert "or 'Ġking' (␣king)?" in run("near", path, " kimg", status=1).stderr


def byte_level(tokens: list[str]) -> str:
    library = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, []))
    library.decoder = decoders.ByteLevel()
    return str(library.to_str())

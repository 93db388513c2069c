import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rowspace as rs
from rowspace.text import WordTokenizer

Run = Callable[..., Any]


@pytest.fixture
def tokenizer_path(tmp_path: Path) -> str:
    path = tmp_path / "tokenizer.json"
    path.write_text(WordTokenizer(["the", "cat", "dog"]).to_json())
    return str(path)


@pytest.fixture
def corpus_path(tmp_path: Path) -> str:
    path = tmp_path / "corpus.txt"
    path.write_text("The cat, the bird\n")
    return str(path)


def test_json(run: Run, tokenizer_path: str, corpus_path: str) -> None:
    document = json.loads(run("coverage", tokenizer_path, corpus_path, "--json").stdout)
    assert document == {
        "tokenizer": tokenizer_path,
        "corpus": [corpus_path],
        "bytes": 18,
        "words": 4,
        "tokens": 4,
        "tokens_per_word": 1.0,
        "bytes_per_token": 4.5,
        "characters_per_token": 4.5,
        "one_piece": 0.75,
        "covered": pytest.approx(9 / 14),
        "characters": 14,
        "unknown_characters": 4,
        "dropped_characters": 1,
        "unknown_tokens": 1,
        "num_tokens": 4,
        "num_unused": 1,
        "unused": [{"token": "dog", "id": 2}],
        "most_frequent": [
            {"token": "the", "count": 2},
            {"token": "cat", "count": 1},
            {"token": "[UNK]", "count": 1},
        ],
    }


def test_text_output_has_the_same_facts(run: Run, tokenizer_path: str, corpus_path: str) -> None:
    shown = " ".join(run("coverage", tokenizer_path, corpus_path, "-k", "1").stdout.split())
    for fact in (
        "18 bytes, 4 words, 4 tokens",
        "tokens per word 1.000",
        "words in one token 75.0 %",
        "64.3 % of the characters; 28.6 % in unknown tokens, 7.1 % in no token",
        "unused 1 of 4 tokens: dog",
        "most frequent the 2",
    ):
        assert fact in shown


def test_a_table_on_its_own_corpus(run: Run, table_path: str, table: rs.Table, english: Path) -> None:
    document = json.loads(run("coverage", table_path, str(english), "--json").stdout)
    assert (document["num_tokens"], document["num_unused"]) == (len(table) + 1, 0)
    most = document["most_frequent"]
    known = [entry for entry in most if entry["token"] in table]
    assert [(entry["token"], entry["count"]) for entry in known] == [
        (token, table.counts[row]) for row, token in enumerate(table.vocabulary[: len(known)])
    ]


def test_several_files_and_standard_input(run: Run, command: Callable[..., Any], tokenizer_path: str, corpus_path: str):
    twice = json.loads(run("coverage", tokenizer_path, corpus_path, corpus_path, "--json").stdout)
    assert twice["words"] == 8
    piped = command("coverage", tokenizer_path, "-", "--json", input="the cat\n")
    assert json.loads(piped.stdout)["words"] == 2


def test_json_lines(run: Run, tokenizer_path: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": "the cat"}\n')
    document = json.loads(run("coverage", tokenizer_path, str(path), "--column", "text", "--json").stdout)
    assert document["words"] == 2


def test_empty_text(run: Run, tokenizer_path: str, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_text("")
    assert json.loads(run("coverage", tokenizer_path, str(path), "--json").stdout)["tokens_per_word"] is None
    shown = " ".join(run("coverage", tokenizer_path, str(path)).stdout.split())
    assert "tokens per word – words in one token – bytes per token – characters per token – text" in shown


def test_failures(run: Run, tokenizer_path: str, corpus_path: str) -> None:
    assert "no file or folder" in run("coverage", tokenizer_path, "nowhere.txt", status=2).stderr
    assert "nowhere.json" in run("coverage", "nowhere.json", corpus_path, status=2).stderr
    assert "-k must be 0 or more" in run("coverage", tokenizer_path, corpus_path, "-k", "-1", status=2).stderr

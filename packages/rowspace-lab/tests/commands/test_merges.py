import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

Run = Callable[..., Any]
LESSON = "the cat sat on the mat the cat"
FIRST = "t h e c at s at o n t h e m at t h e c at"
THIRD = "the c at s at o n the m at the c at"


@pytest.fixture
def tokenizer_path(tmp_path: Path) -> str:
    library = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2, "abab": 3}, [("a", "b"), ("ab", "ab")]))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    path = tmp_path / "tokenizer.json"
    library.save(str(path))
    return str(path)


def test_merges_of_the_lesson_text(run: Run) -> None:
    lines = [line.split() for line in run("merges", LESSON).stdout.splitlines()]
    assert lines[0] == LESSON.split()
    assert lines[3][:6] == ["1", "a", "+", "t", "4", "19"]
    assert lines[4][:6] == ["2", "t", "+", "h", "3", "16"]
    assert lines[5] == ["3", "th", "+", "e", "3", "13", *THIRD.split()]


def test_json_of_learning(run: Run) -> None:
    document = json.loads(run("merges", LESSON, "--steps", "2", "--json").stdout)
    assert (document["text"], document["tokenizer"], len(document["merges"])) == (LESSON, None, 2)
    first = document["merges"][0]
    assert first.pop("tokens") == FIRST.split()
    assert first == {"step": 1, "rank": 0, "left": "a", "right": "t", "merged": "at", "count": 4}


def test_applied(run: Run, tokenizer_path: str) -> None:
    document = json.loads(run("merges", "abab ba", "--tokens", tokenizer_path, "--json").stdout)
    assert [(merge["rank"], merge["count"], merge["tokens"]) for merge in document["merges"]] == [
        (0, 2, ["ab", "ab", "b", "a"]),
        (1, 1, ["abab", "b", "a"]),
    ]
    shown = run("merges", "abab ba", "--tokens", tokenizer_path).stdout
    assert "joined" in shown
    assert "1 ab + ab 1 3 abab b a" in " ".join(shown.split())


def test_more_merges_than_shown(run: Run) -> None:
    assert "more merges follow; --steps 2" in run("merges", LESSON, "--steps", "1").stdout
    assert "more merges" not in run("merges", LESSON, "--steps", "4").stdout


def test_standard_input(command: Callable[..., Any]) -> None:
    assert "a + t" in command("merges", "-", input="the cat sat\non the mat\n").stdout


def test_standard_input_that_is_not_utf_8(command: Callable[..., Any]) -> None:
    done = command("merges", "-", "--json", input="ab \udcff ab", errors="surrogateescape")
    assert json.loads(done.stdout)["text"] == "ab � ab"


def test_text_without_merges(run: Run, tokenizer_path: str) -> None:
    assert "no pair of characters occurs twice" in run("merges", "abc").stdout
    assert "no merge of the tokenizer applies" in run("merges", "ba", "--tokens", tokenizer_path).stdout
    assert json.loads(run("merges", "", "--json").stdout)["merges"] == []


def test_long_text_is_shortened(run: Run) -> None:
    lines = run("merges", "long text " * 100, "--steps", "1").stdout.splitlines()
    assert lines[0].endswith("…")
    assert lines[3].rstrip().endswith("…")
    assert len(lines) < 8


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["text", "--steps", "0"], 2, "--steps must be a whole number from 1 to 1,000,000, not 0"),
        (["text", "--tokens", "no-such-file"], 2, "'no-such-file'"),
    ],
)
def test_failures(run: Run, arguments: list[str], status: int, message: str) -> None:
    assert message in run("merges", *arguments, status=status).stderr


def test_tokenizer_without_merges(run: Run, table_path: str) -> None:
    assert "WordLevel" in run("merges", "text", "--tokens", table_path, status=2).stderr

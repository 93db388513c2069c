import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

import rowspace as rs

Run = Callable[..., Any]
TOKENS = ["a", "b", "ab", "abab"]


def library() -> Tokenizer:
    made = Tokenizer(models.BPE({token: number for number, token in enumerate(TOKENS)}, [("a", "b"), ("ab", "ab")]))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


@pytest.fixture
def tokenizer_path(tmp_path: Path) -> str:
    path = tmp_path / "tokenizer.json"
    library().save(str(path))
    return str(path)


@pytest.fixture
def counted_path(tmp_path: Path) -> str:
    """A table of tokens with counts."""
    counts = np.array([5, 2, 10, 100])
    path = tmp_path / "counted"
    rs.Table(TOKENS, np.eye(4, dtype=np.float32), counts, tokenizer=library().to_str()).save(path)
    return str(path)


def splits(run: Run, *arguments: str) -> list[list[tuple[str, int, int | None]]]:
    (text,) = json.loads(run("split", *arguments, "--json").stdout)["texts"]
    return [[(piece["token"], piece["id"], piece["count"]) for piece in split["tokens"]] for split in text["splits"]]


def test_tokens_and_ids(run: Run, tokenizer_path: str) -> None:
    document = json.loads(run("split", "ababa", "b", "--tokens", tokenizer_path, "--json").stdout)
    assert (document["tokenizer"], document["num_tokens"]) == (tokenizer_path, 4)
    assert [text["text"] for text in document["texts"]] == ["ababa", "b"]
    assert document["texts"][0]["splits"] == [
        {"size": 4, "tokens": [{"token": "abab", "id": 3, "count": None}, {"token": "a", "id": 0, "count": None}]}
    ]
    lines = run("split", "ababa", "--tokens", tokenizer_path).stdout.splitlines()
    assert [line.split() for line in lines[:2]] == [["ababa"], ["2", "tokens", "id"]]
    assert [line.split() for line in lines[3:5]] == [["abab", "3"], ["a", "0"]]


def test_counts_of_a_table(run: Run, counted_path: str) -> None:
    assert splits(run, "ababb", "--tokens", counted_path) == [[("abab", 3, 100), ("b", 1, 2)]]


def test_sizes_are_printed_side_by_side(run: Run, counted_path: str) -> None:
    # With three tokens, each abab would be two ab; with two, each ab would be an a and a b.
    wanted = [[("a", 0, 215), ("b", 1, 212)] * 2, [("ab", 2, 210)] * 2, [("abab", 3, 100)]]
    assert splits(run, "abab", "--tokens", counted_path, "--sizes", "2,3,4") == wanted
    shown = run("split", "abab", "--tokens", counted_path, "--sizes", "2,3,4").stdout.splitlines()
    assert " ".join(shown[3].split()) == "a 0 215 ab 2 210 abab 3 100"
    assert " ".join(shown[4].split()) == "b 1 212 ab 2 210"
    assert " ".join(shown[1].split()) == "4 tokens of 2 id count 2 tokens of 3 id count 1 token of 4 id count"


def test_counts_of_a_corpus(run: Run, tokenizer_path: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("abab ab b\n")
    arguments = ("abab", "--tokens", tokenizer_path, "--corpus", str(corpus), "--sizes", "3,4")
    assert splits(run, *arguments) == [[("ab", 2, 3)] * 2, [("abab", 3, 1)]]


def test_word_table_and_its_counts(run: Run, table_path: str, table: rs.Table) -> None:
    ((first, last),) = splits(run, "The qwertyuiop", "--tokens", table_path)
    assert first == ("the", table.id("the"), table.counts[table.id("the")])
    assert last == ("[UNK]", len(table), 0)


def test_standard_input_gives_texts_by_line(command: Callable[..., Any], tokenizer_path: str) -> None:
    done = command("split", "-", "a", "--tokens", tokenizer_path, "--json", input="ab\nb\n")
    assert [text["text"] for text in json.loads(done.stdout)["texts"]] == ["ab", "b", "a"]
    assert "standard input is empty" in command("split", "-", "--tokens", tokenizer_path, input="", status=2).stderr


def test_inexact_truncation_gives_a_message(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "unigram.json"
    Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0), ("aa", -2.0)], 0)).save(str(path))
    result = run("split", "aa", "--tokens", str(path), "--sizes", "2")
    assert "would have other scores" in result.stderr
    assert "weigh" not in run("split", "aa", "--tokens", str(path)).stderr


@pytest.mark.parametrize("text", ["", "\0", "🙂", "e\u0301", "안녕", "a" * 5000])
def test_awkward_text(run: Run, table_path: str, text: str) -> None:
    assert run("split", text, "--tokens", table_path, "--json").stdout
    assert run("split", text, "--tokens", table_path).stdout


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ("1", "too small: 2 tokens that no merge makes always stay"),
        ("4,5", "which has 4"),
        ("2,many", "--sizes must be whole numbers separated by commas"),
    ],
)
def test_invalid_sizes_are_an_error(run: Run, tokenizer_path: str, sizes: str, message: str) -> None:
    assert message in run("split", "a", "--tokens", tokenizer_path, "--sizes", sizes, status=2).stderr


def test_file_that_is_not_a_tokenizer_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}")
    for path, status in ((tmp_path, 1), (tmp_path / "broken.json", 1), (tmp_path / "nothing", 2)):
        assert str(path) in run("split", "a", "--tokens", str(path), status=status).stderr


def test_folder_that_is_not_a_table_has_no_counts(run: Run, tmp_path: Path) -> None:
    library().save(str(tmp_path / "tokenizer.json"))
    assert splits(run, "ab", "--tokens", str(tmp_path)) == [[("ab", 2, None)]]


def test_tokenizer_of_a_damaged_table_splits(run: Run, counted_path: str) -> None:
    Path(counted_path, "model.safetensors").write_bytes(b"damaged")
    result = run("split", "ab", "--tokens", counted_path)
    assert "counts are not shown" in result.stderr
    assert "count" not in result.stdout


def test_standard_input_cannot_be_used_twice(run: Run, tokenizer_path: str) -> None:
    assert "both" in run("split", "-", "--tokens", tokenizer_path, "--corpus", "-", status=2).stderr


def test_byte_level_tokens_are_shown_as_text(run: Run, tmp_path: Path) -> None:
    path, corpus = str(tmp_path / "tokenizer.json"), tmp_path / "corpus.txt"
    alphabet = {token: number for number, token in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    library = Tokenizer(models.BPE({**alphabet, "Ġa": 256}, [("Ġ", "a")]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.save(path)
    corpus.write_text("b a a")
    shown = run("split", "a a é", "--tokens", path).stdout
    assert [line.split("  ")[0] for line in shown.splitlines()[3:] if line] == ["a", "␣a", "␣", "⟨C3⟩", "⟨A9⟩"]
    assert splits(run, "b a", "--tokens", path)[0][1][0] == "Ġa"
    assert "␣a 2" in run("coverage", path, str(corpus)).stdout

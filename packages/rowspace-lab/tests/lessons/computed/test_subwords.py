"""The numbers of lesson 4 by string methods, autograd and the merges of the tokenizer's file."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
import torch
from tests.lessons.first_lessons import LABS, ask, run_card

from rowspace.errors import UsageError
from rowspace.text import default_tokenizer, standard_library
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed.topics import subwords as computed
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.tables.small_world import small_world_sentences

TEXT = "the cat sat on the mat the cat"


@pytest.fixture(scope="module")
def small_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The model of a tokenizer trained on part of the standard library, with its own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        library, _ = default_tokenizer(texts=islice(standard_library(), 40))
        yield json.loads(library.to_str())["model"]


def test_counts_are_those_of_the_sentences() -> None:
    words = re.findall(r"\S+", " ".join(small_world_sentences()))
    found = computed.counts()
    assert found["words"] == len(words)
    assert found["rows"] == len(set(words))
    assert (found["the"], found["duck"], found["unseen"]) == (words.count("the"), words.count("duck"), 0)
    counts = sorted((words.count(word) for word in set(words)), reverse=True)
    assert found["top_share"] == sum(counts[:10]) / len(words)
    assert found["rare_share"] == np.mean(np.array(counts) < 10)


def test_rows_move_as_with_autograd() -> None:
    sentences = [sentence.split() for sentence in small_world_sentences()]
    words = list(dict.fromkeys(word for sentence in sentences for word in sentence))
    draw = np.random.default_rng(0)
    rows, head = (torch.tensor(draw.normal(0, 0.02, (len(words), 16)), requires_grad=True) for _ in range(2))
    start, optimizer = rows.detach().clone(), torch.optim.SGD([rows, head], lr=0.1)
    for place in draw.permutation(len(sentences)):
        ids = torch.tensor([words.index(word) for word in sentences[place]])
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(rows[ids[:-1]] @ head.T, ids[1:], reduction="sum").backward()
        optimizer.step()
    moved = (rows.detach() - start).norm(dim=1).numpy()
    counts = np.array([sum(sentence.count(word) for sentence in sentences) for word in words])
    found = computed.moved()
    assert found["start"] == pytest.approx(np.median(start.norm(dim=1).numpy()))
    assert found["few_moved"] == pytest.approx(np.median(moved[counts <= 2]))
    assert found["many_moved"] == pytest.approx(np.median(moved[counts >= 30]))


def test_merges_shorten_the_text_by_the_occurrences_of_each_pair() -> None:
    found = computed.merges()
    assert (found["characters"], found["pairs"]) == (len(TEXT), len(TEXT) - 1)
    assert (found["most"], found["tied"]) == (TEXT.count("at"), TEXT.count("th"))
    after_at = TEXT.replace("at", "@")
    counts = Counter(after_at[place : place + 2] for place in range(len(after_at) - 1))
    assert found["pairs_tied"] == list(counts.values()).count(max(counts.values()))
    left = len(TEXT) - np.cumsum([TEXT.count(token) for token in ("at", "th", "the", "the ")])
    assert found["after"] == dict(zip(("at", "th", "the", "the_"), left, strict=True)) | {"the_": 17}
    assert (found["th_before"], found["th_after"]) == (TEXT.count("th"), TEXT.replace("the", "").count("th"))


def test_words_cannot_write_the_held_out_file() -> None:
    held, *texts = islice(standard_library(), 0, 80, 8)
    pattern = re.compile(r"\w+|[^\w\s]+")
    known = {word for word, _ in Counter(word for text in texts for word in pattern.findall(text)).most_common(999)}
    found = computed.held_out()
    unknown = sum(len(word) for word in pattern.findall(held) if word not in known)
    assert found["words"] == pytest.approx(unknown / len(re.sub(r"\s", "", held)))
    assert found["pieces"] == found["bytes"] == 0


@pytest.mark.parametrize("seed", [0, 1, 3, 6])
def test_next_pair_is_the_most_frequent_one(seed: int) -> None:
    question, answer = ask(4, "next_pair", seed, LABS["six-words"]())
    text, step = str(question.fields["text"]), int(str(question.fields["step"]))
    tokens = list(text)
    for _ in range(step):
        left, right = _first_pair(tokens)
        tokens = _merged(tokens, left, right)
    left, right = _first_pair(tokens)
    assert question.options[answer["answer"]] == " + ".join(token.replace(" ", "␣") for token in (left, right))
    assert answer["tokens"] == len(tokens)
    if seed == 0:
        assert (text, step, left, right, answer["count"], answer["tied"], answer["next"]) == (
            TEXT,
            1,
            "t",
            "h",
            3,
            4,
            23,
        )


def _first_pair(tokens: list[str]) -> tuple[str, str]:
    pairs = list(pairwise(tokens))
    return max(dict.fromkeys(pairs), key=pairs.count)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rare_rows_are_those_with_small_counts(small_lab: Callable[..., Lab], seed: int) -> None:
    counts = np.array([900, 200, 60, 50, 20, 10, 9, 5, 4, 1])
    lab = small_lab([f"word{at}" for at in range(10)], np.eye(10), counts)
    question, answer = ask(4, "rare_rows", seed, lab)
    rare = [count for count in counts if count < int(str(question.fields["fewer"]))]
    assert answer["answer"] == 10 * len(rare)
    assert answer["top_share"] == round(100 * 900 / counts.sum(), 1)
    assert question.accepts(10 * len(rare) - 9, answer["answer"])


def test_rare_rows_need_counts() -> None:
    with pytest.raises(UsageError, match="no counts"):
        lesson(4).question("rare_rows", LABS["six-words"]().table, 0)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pieces_follow_the_merges_of_the_file(small_tokenizer: dict[str, Any], seed: int) -> None:
    question, answer = ask(4, "doubled", seed, LABS["six-words"]())
    size = int(str(question.fields["size"]).replace(",", ""))
    word = str(question.fields["word"])
    assert _cut(word, small_tokenizer["merges"], size) == str(question.fields["cut"]).split("·")
    assert _cut(word, small_tokenizer["merges"], 2 * size) == answer["after"].split("·")
    assert answer["answer"] == len(answer["after"].split("·"))


def _cut(word: str, merges: list[list[str]], size: int) -> list[str]:
    """Apply the merges of the first `size` tokens, of which 256 are bytes, in order."""
    tokens = list(word)
    for left, right in merges[: size - 256]:
        tokens = _merged(tokens, left, right)
    return tokens


def _merged(tokens: list[str], left: str, right: str) -> list[str]:
    merged: list[str] = []
    for token in tokens:
        if token == right and merged and merged[-1] == left:
            merged[-1] = f"{left}{right}\0"  # marked, so that the new token is not merged again
        else:
            merged.append(token)
    return [token.rstrip("\0") for token in merged]


def test_doubled_needs_the_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="not learned yet"):
        lesson(4).question("doubled", LABS["six-words"]().table, 0)


def test_card_prints_the_merges(capsys: pytest.CaptureFixture[str]) -> None:
    run_card(4)
    assert capsys.readouterr().out == "['at', 'th', 'the']\n"

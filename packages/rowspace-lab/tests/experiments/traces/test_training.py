import json
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from rowspace.errors import UsageError
from rowspace_lab.experiments import trace_training

EXAMPLE = "the cat sat on the mat the cat"
Step = tuple[str, str, int, list[str]]


def reference_training(text: str, num_merges: int, split: Callable[[str], Iterable[str]] = str.split) -> list[Step]:
    """Return the expected result of `trace_training`: count all pairs again at each step; the first seen wins ties."""
    words, steps = [list(word) for word in split(text)], list[Step]()
    while len(steps) < num_merges:
        counts = Counter(pair for word in words for pair in pairwise(word))
        pair, count = max(counts.items(), key=lambda item: item[1], default=(("", ""), 0))
        if count < 2:
            break
        words = [joined(word, pair) for word in words]
        steps.append((*pair, count, [token for word in words for token in word]))
    return steps


def joined(word: list[str], pair: tuple[str, str]) -> list[str]:
    tokens, position = list[str](), 0
    while position < len(word):
        size = 2 if tuple(word[position : position + 2]) == pair else 1
        tokens.append("".join(word[position : position + size]))
        position += size
    return tokens


def traced(text: str, num_merges: int, split: Callable[[str], Iterable[str]] = str.split) -> list[Step]:
    # Finish training first: `tokens` must be those after its own step, not after the last one.
    merges = list(trace_training(text, num_merges, split=split))
    return [(merge.left, merge.right, merge.count, merge.tokens) for merge in merges]


def whole(text: str) -> list[str]:
    return [text]


def test_textbook_example() -> None:
    merges = list(trace_training(EXAMPLE, 3))
    assert [(merge.left, merge.right, merge.count) for merge in merges] == [
        ("a", "t", 4),
        ("t", "h", 3),
        ("th", "e", 3),
    ]
    assert " ".join(merges[0].tokens_before) == "t h e c a t s a t o n t h e m a t t h e c a t"
    assert " ".join(merges[0].tokens) == "t h e c at s at o n t h e m at t h e c at"
    assert " ".join(merges[2].tokens) == "the c at s at o n the m at the c at"
    assert [(merge.merged, merge.rank, merge.step) for merge in merges] == [("at", 0, 1), ("th", 1, 2), ("the", 2, 3)]


def test_textbook_example_with_merges_across_words() -> None:
    assert [step[:3] for step in traced(EXAMPLE, 3, whole)] == [("a", "t", 4), ("t", "h", 3), ("th", "e", 3)]


@given(st.text("abc ", max_size=60))
def test_equals_the_slow_reference(text: str) -> None:
    assert traced(text, 12) == reference_training(text, 12)
    assert traced(text, 12, whole) == reference_training(text, 12, whole)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "aa",
        "aaaaaaaaaaaa",
        "aaa aaa aa",
        "🙂🙂 👩‍👩‍👧 🙂",  # several code points that display as one
        "안녕하세요 안녕 세요",
        "e\u0301e\u0301 é e\u0301",
        "a\0b a\0b \0\0\0",
        "\ud800x \ud800x",
        "abcabcabc" * 40,
        "abcbcab" * 30 + " bca" * 9,  # tokens that several merges produce
    ],
)
def test_unusual_text_equals_the_slow_reference(text: str) -> None:
    assert traced(text, 25) == reference_training(text, 25)
    assert traced(text, 25, whole) == reference_training(text, 25, whole)


def test_merges_do_not_cross_texts() -> None:
    merges = list(trace_training(iter(["ab", "ab", "", "cab"]), 9))
    assert [(merge.merged, merge.count) for merge in merges] == [("ab", 3)]
    assert merges[0].tokens == ["ab", "ab", "c", "ab"]


def test_pairs_rarer_than_min_count_are_not_merged() -> None:
    assert [merge.merged for merge in trace_training("ab ab cd", 9, min_count=1)] == ["ab", "cd"]
    assert not list(trace_training("ab ab cd", 9, min_count=3))


@pytest.mark.parametrize(("name", "value"), [("num_merges", -1), ("min_count", 0)])
def test_arguments_out_of_range_are_refused(name: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"{name} must be .* not {value}"):
        trace_training("text", **{"num_merges": 1, "min_count": 1} | {name: value})


def test_negative_step_is_refused() -> None:
    (merge,) = trace_training("ab ab", 1)
    with pytest.raises(UsageError, match="step must be 0"):
        merge._segmentation.tokens(-1)


@pytest.mark.long
def test_merges_equal_those_of_tokenizers_until_the_first_tie(english: Path) -> None:
    # Parity with the `tokenizers` library, which breaks ties by the ids of the characters.
    text = english.read_text(encoding="utf-8")
    untied = untied_merges(text, 60)
    assert len(untied) > 30
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    library.train_from_iterator([text], trainers.BpeTrainer(vocab_size=1000, show_progress=False))
    theirs = json.loads(library.to_str())["model"]["merges"]
    ours = [[merge.left, merge.right] for merge in trace_training(text, len(untied))]
    assert ours == untied == theirs[: len(untied)]


def untied_merges(text: str, most: int) -> list[list[str]]:
    """Return the first merges of a text, up to the first tie between pairs."""
    words, merges = Counter(tuple(word) for word in text.split()), list[list[str]]()
    while len(merges) < most:
        counts = Counter[tuple[str, str]]()
        for word, times in words.items():
            for pair in pairwise(word):
                counts[pair] += times
        (best, count), (_, next_count) = counts.most_common(2)
        if count == next_count:
            break
        merges.append(list(best))
        words = Counter({tuple(joined(list(word), best)): times for word, times in words.items()})
    return merges


def test_joins_reproduce_the_tokens_after_each_step() -> None:
    merges = list(trace_training("the cat sat on the mat the cat", 9))
    for merge in merges:
        tokens = list[str]()
        for symbol, joined in merges[-1].joins:
            if 0 < joined <= merge.step:
                tokens[-1] += symbol
            else:
                tokens.append(symbol)
        assert tokens == merge.tokens
    assert {joined for _, joined in merges[0].joins} == {0, 1}

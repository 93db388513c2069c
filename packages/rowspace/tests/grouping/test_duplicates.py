"""`dedupe` against sets of Python, and its errors."""

import random
import re

import pytest

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.text import WordTokenizer


def _grams(text: str) -> frozenset[str]:
    words = re.sub("['_]", "", " ".join(WordTokenizer([]).split(text)))
    return (
        frozenset(words[at : at + 5] for at in range(max(1, len(words) - 4)))
        if words
        else frozenset([f"no words: {text}"])
    )


def _expected(texts: list[str], threshold: float) -> list[tuple[int, float]]:
    """Compare each text with all that are kept before it."""
    kept, found = list[int](), list[tuple[int, float]]()
    sets = [_grams(text) for text in texts]
    for index, grams in enumerate(sets):
        scores = [(len(grams & sets[other]) / len(grams | sets[other]), -other) for other in kept]
        best, other = max(scores, default=(0.0, 0))
        if best >= threshold:
            found.append((-other, best))
        else:
            kept.append(index)
            found.append((index, 1.0))
    return found


def _changed(text: str, draw: random.Random) -> str:
    words = text.split(" ")
    words[draw.randrange(len(words))] = draw.choice(["", "x", "new words", "é", "中国人民", words[0].upper()])
    return " ".join(words)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "threshold", [0.3, 0.9, *(pytest.param(each, marks=pytest.mark.long) for each in (0.1, 0.5, 0.7, 1.0))]
)
def test_equals_the_comparison_of_all_pairs(threshold: float) -> None:
    draw = random.Random(0)
    words = ["the", "cat", "sat", "mat", "while", "it", "don't", "rain", "in", "the_old", "_house_", "你好", "世界"]
    texts = [" ".join(draw.choices(words, k=draw.randrange(1, 14))) for _ in range(60)]
    texts += [_changed(draw.choice(texts), draw) for _ in range(140)]
    texts += ["", "!", "!", " ?", "🙂", "🙂", "a", "A.", "ab", "the", "The", "\0", "\ud800 the"]
    found = rs.dedupe(texts, threshold=threshold)
    expected = _expected(texts, threshold)
    assert [first for first, _ in expected] == found.first.tolist()
    assert found.similarity.tolist() == pytest.approx([similarity for _, similarity in expected])
    assert found.kept.tolist() == [index for index, (first, _) in enumerate(expected) if first == index]


def test_takes_any_iterable_and_no_texts() -> None:
    assert rs.dedupe(iter(())).kept.tolist() == []
    assert rs.dedupe(text for text in ("one text", "One text!")).first.tolist() == [0, 0]


def test_texts_similar_through_a_third_one_are_not_joined() -> None:
    texts = ["abcdefghijklmnopqrst", "cdefghijklmnopqrstuv", "efghijklmnopqrstuvwx"]
    assert rs.dedupe([texts[1], texts[0], texts[2]], threshold=0.75).first.tolist() == [0, 0, 0]
    assert rs.dedupe(texts, threshold=0.75).first.tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("texts", "threshold", "message"),
    [
        ("one", 0.7, "not str"),
        (["a", 3], 0.7, "text 1 is int"),
        (["a"], 0.0, "threshold must be a number from 0.1 to 1, not 0.0"),
        (["a"], float("nan"), "not nan"),
        (["a"], True, "not True"),
    ],
)
def test_refuses_what_cannot_be_right(texts: list[str], threshold: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rs.dedupe(texts, threshold=threshold)

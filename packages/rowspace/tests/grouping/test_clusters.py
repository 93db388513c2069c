"""`cluster_texts`: clusters, and the words that label them."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import CorpusError, UsageError
from rowspace.text import whitespace_json

WORDS = ["bread", "flour", "oven", "planet", "star", "orbit", "the"]
TEXTS = ["the bread", "flour the oven", "planet orbit", "the star", "bread flour the", "unknown", "star orbit the"]


@pytest.fixture
def table() -> rs.Table:
    rows = np.zeros((len(WORDS), 3), np.float32)
    rows[:3], rows[3:6], rows[6] = [1, 0, 0.1], [0, 1, 0.1], [0.01, 0.01, 0]
    counts = np.array([5, 5, 5, 5, 5, 5, 100])
    return rs.Table(WORDS, rows, counts, tokenizer=whitespace_json(WORDS))


def test_texts_about_one_thing_are_in_one_cluster(table: rs.Table) -> None:
    found = rs.cluster_texts(TEXTS, table, clusters=2)
    kitchen, sky = found.labels[0], found.labels[2]
    assert found.labels.tolist() == [kitchen, kitchen, sky, sky, kitchen, -1, sky]
    assert found.sizes.tolist() == [3, 3]
    assert {TEXTS[index] for index in found.nearest[sky]} == {"planet orbit", "the star", "star orbit the"}
    for label in (kitchen, sky):
        assert found.words[label] == _telling(found.labels.tolist(), label)[:4]
    assert rs.cluster_texts(TEXTS, rs.Encoder(table), clusters=2, words=1).words[kitchen] == found.words[kitchen][:1]


def test_words_of_most_clusters_come_last(table: rs.Table) -> None:
    texts = ["bread flour" + 8 * " the", "the planet", "orbit star star star star", "bread flour oven"]
    found = rs.cluster_texts(texts, table, clusters=2, words=3)
    kitchen, sky = found.words[found.labels[0]], found.words[found.labels[1]]
    assert (sorted(kitchen[:2]), sorted(sky)) == (["bread", "flour"], ["orbit", "planet", "star"])
    assert rs.cluster_texts(texts, table, clusters=2, words=9).words[found.labels[0]][-1] == "the"


def _telling(labels: list[int], label: int) -> list[str]:
    """The definition, word by word; of equal ones the frequent first, and of these the one that was met first."""
    lists = [(text.split(), of) for text, of in zip(TEXTS, labels, strict=True) if of >= 0]
    everywhere = Counter(word for words, _ in lists for word in words)
    inside = Counter(word for words, of in lists for word in words if of == label)
    total, size = sum(everywhere.values()), sum(inside.values())
    ratios = {word: (count / size, count * total / (everywhere[word] * size)) for word, count in inside.items()}
    scores = {word: share * math.log(ratio) ** 2 for word, (share, ratio) in ratios.items() if ratio > 1}
    elsewhere = {word for words, of in lists for word in words if of != label}
    scores = {word: score * (1e-9 if word in elsewhere else 1) for word, score in scores.items()}  # of two clusters
    order = list(everywhere)
    return sorted(
        scores,
        key=lambda word: (-round(scores[word], 12), -everywhere[word], order.index(word)),
    )


def test_refuses_texts_that_it_cannot_cluster(table: rs.Table) -> None:
    for texts in ([], ["unknown", ""]):
        with pytest.raises(UsageError, match=f"none of the {len(texts)} texts has a word"):
            rs.cluster_texts(texts, table)
    for texts, place in (([1, 2], "0 is a int"), (["a", None], "1 is a NoneType")):
        with pytest.raises(UsageError, match=f"texts must be strings, but text {place}"):
            rs.cluster_texts(texts)
    advice = r"occurs 1 time\); add texts, or give a table by --table \(table= in Python\)$"
    with pytest.raises(CorpusError, match=f"^no table can be learned from the texts .*{advice}"):
        rs.cluster_texts(["one two", "three four"])
    with pytest.raises(UsageError, match="clusters must be a whole number from 1"):
        rs.cluster_texts(TEXTS, table, clusters=0)


def test_learns_a_table_from_the_texts(english: Path) -> None:
    lines = [line for line in english.read_text().splitlines() if line.strip()]
    texts = [*lines, *(line[::-1] for line in lines)]  # words of two languages
    found = rs.cluster_texts(texts, clusters=2)
    forward, backward = found.labels[: len(lines)], found.labels[len(lines) :]
    assert max(np.mean(forward == 0), np.mean(forward == 1)) > 0.7
    assert max(np.mean(backward == 0), np.mean(backward == 1)) > 0.7
    assert np.argmax(np.bincount(forward[forward >= 0])) != np.argmax(np.bincount(backward[backward >= 0]))

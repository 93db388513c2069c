"""The numbers of lesson 1: distances of six words by id, by one-hot vector and by row."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number, slider
from rowspace_lab.pages.pipeline.distances import count_changed, distances_figure, renumber, three_distances
from rowspace_lab.tables.examples import SIX_WORDS
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = ["by_count", "differences", "distances", "ids", "nearer", "next_ids", "permuted", "renumbered"]

NEIGHBORS, SAMPLE = (10, 5, 20, 3), 300
RENUMBERED = (
    ("each word gets a new id at random", renumber(6, seed=1).tolist(), "rows"),
    ("the words with the ids 1 and 4 change places", (0, 4, 2, 3, 1, 5), "ids"),
    ("its order is reversed", (5, 4, 3, 2, 1, 0), "ids"),
    ("each id grows by one, and the last word gets id 0", (1, 2, 3, 4, 5, 0), "ids"),
    ("the words with the ids 0 and 2 change places", (2, 1, 0, 3, 4, 5), "ids"),
)
"""How six words are renumbered, their new ids, and the distances that are counted.

No distance between rows ever changes, so a question that returns is about ids.
"""


def ids() -> Mapping[str, int]:
    """Return the ids of the riddle that the lesson opens with, and their sum."""
    cat, dog = 3782, 5291
    return {"cat": cat, "dog": dog, "sum": cat + dog}


def distances() -> Mapping[str, Mapping[str, float]]:
    """Return the distances of pairs of the six words by id, by one-hot vector and by row, and a ratio of the last."""
    table = six_words()
    all_ids = np.arange(len(table))
    found = dict(zip(("id", "one_hot", "row"), three_distances(table, all_ids, all_ids), strict=True))
    pairs = {"cat_dog": ("cat", "dog"), "cat_the": ("cat", "the"), "the_on": ("the", "on")}
    named = {
        way: {name: float(matrix[table.id(one), table.id(other)]) for name, (one, other) in pairs.items()}
        for way, matrix in found.items()
    }
    return {**named, "ratio": {"row": named["row"]["cat_the"] / named["row"]["cat_dog"]}}


def differences() -> Mapping[str, float]:
    """Return the differences of the three numbers of *cat* and *dog*, and the sum of their squares."""
    first, second, third = np.abs(np.subtract(SIX_WORDS["cat"], SIX_WORDS["dog"]))
    return {"first": first, "second": second, "third": third, "squares": first**2 + second**2 + third**2}


def permuted() -> Mapping[str, int]:
    """Return how many distances change in each way when the six words are renumbered as in the figure."""
    found = distances_figure(six_words(), np.arange(6), seed=1, limit=8)
    return {**dict(zip(("id", "one_hot", "row"), found["changed"], strict=True)), "pairs": found["num_pairs"]}


def by_count() -> Mapping[str, object]:
    """Return the first and the last id of the small world's words sorted by count, and their counts."""
    counted = Counter(word for sentence in small_world_sentences() for word in sentence.split()).most_common()
    return {"first": counted[0][1], "last_id": len(counted) - 1, "last": counted[-1][1]}


def six_words() -> Table:
    """Return the table of six words."""
    return Table(list(SIX_WORDS), np.array(list(SIX_WORDS.values())))


def nearer(table: Table, seed: int) -> Question:
    """Ask which of two words is nearer to a third one, by id and by row."""
    word, one, other = ("the", "cat", "on") if seed == 0 else drawn_words(table, seed)
    options = [
        f"{one}, by id and by row",
        f"{other}, by id and by row",
        f"{one} by id, {other} by row",
        f"{other} by id, {one} by row",
    ]
    return choice(options, partial(nearer_figure, word=word, one=one, other=other), word=word, one=one, other=other)


def drawn_words(table: Table, seed: int) -> list[str]:
    """Draw a word and two others at different distances from its id."""
    draw = np.random.default_rng(seed)
    word, one, other = draw.choice(len(table), 3, replace=False)
    while abs(word - one) == abs(word - other):
        word, one, other = draw.choice(len(table), 3, replace=False)
    return [table.vocabulary[id] for id in (word, one, other)]


def nearer_figure(table: Table, *, word: str, one: str, other: str) -> Mapping[str, object]:
    """Compare the distances |i - j| of ids and the distances of rows; return the place of the option."""
    first, second, third = table.ids([word, one, other]).tolist()
    id_one, id_other = abs(first - second), abs(first - third)
    row_one, row_other = (float(np.linalg.norm(table[word] - table[each])) for each in (one, other))
    places = {(True, True): 0, (False, False): 1, (True, False): 2, (False, True): 3}
    return {
        "answer": places[id_one < id_other, row_one < row_other],
        "id_one": id_one,
        "id_other": id_other,
        "row_one": round(row_one, 3),
        "row_other": round(row_other, 3),
    }


def renumbered(table: Table, seed: int) -> Question:
    """Ask how many distances between rows or ids change when the words get other ids."""
    renumbering, new_ids, of = picked(seed, RENUMBERED)
    words = len(new_ids)
    if len(table) != words:
        raise UsageError(f"this question is about a table of {words} words; choose Six words")
    answer = partial(renumbered_figure, new_ids=tuple(new_ids), of=of)
    return number(answer, renumbering=renumbering, of=of, pairs=words * (words - 1) // 2)


def renumbered_figure(table: Table, *, new_ids: Sequence[int], of: str) -> Mapping[str, int]:
    """Count the distances between rows, and between ids, that differ after the words get new ids."""
    old, new = np.arange(len(table)), np.array(new_ids)
    by_id, _, by_row = count_changed(three_distances(table, old, old), three_distances(table, old, new))
    return {"answer": by_row if of == "rows" else by_id, "by_id": by_id, "by_row": by_row}


def next_ids(table: Table, seed: int) -> Question:
    """Ask for how many words in a hundred the word with the next id is among the nearest rows."""
    if len(table) <= 2 * max(NEIGHBORS):
        raise UsageError("this table is too small; choose one with more words, such as Small world")
    sample = min(SAMPLE, len(table) - 1)
    k = picked(seed, NEIGHBORS)
    answer = partial(next_ids_figure, sample=sample, k=k, seed=seed)
    return slider((0, 100, 1), answer, tolerance=5, k=k, rows=f"{len(table):,}", sample=sample)


def next_ids_figure(table: Table, *, sample: int, k: int, seed: int) -> Mapping[str, float]:
    """Return how often, in percent, the next id is among the k nearest rows; and another id, drawn at random."""
    draw = np.random.default_rng(seed)
    drawn = draw.choice(len(table) - 1, sample, replace=False)
    near, _ = space.nearest(table[drawn], table.rows, k, metric="euclidean", exclude=drawn[:, np.newaxis])
    others = (drawn + draw.integers(1, len(table), sample)) % len(table)
    return {
        "answer": round(percent_found(near, drawn + 1), 1),
        "random": round(percent_found(near, others), 1),
        "chance": round(100 * k / (len(table) - 1), 2),
    }


def percent_found(near: NDArray[Any], expected: NDArray[Any]) -> float:
    """Return the percentage of rows of `near` that contain the id at the same place of `expected`."""
    return float(100 * np.mean((near == expected[:, np.newaxis]).any(1)))

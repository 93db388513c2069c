"""The numbers of lesson 1: distances of six words by id, by one-hot vector and by row."""

from collections.abc import Mapping
from functools import partial
from itertools import combinations

import numpy as np

from rowspace.lab.lessons.question import Question, number
from rowspace.lab.tables.examples import SIX_WORDS
from rowspace.table import Table

__all__ = ["distances", "ids", "renumbered"]


def ids() -> Mapping[str, int]:
    """Return the ids of the riddle that the lesson opens with, and their sum."""
    cat, dog = 3782, 5291
    return {"cat": cat, "dog": dog, "sum": cat + dog}


def distances() -> Mapping[str, float]:
    """Return distances between rows of the six words."""
    the, cat, dog = (np.array(SIX_WORDS[word]) for word in ("the", "cat", "dog"))
    near, far = float(np.linalg.norm(cat - dog)), float(np.linalg.norm(cat - the))
    return {"cat_dog": near, "cat_the": far, "ratio": far / near}


def renumbered(table: Table, seed: int) -> Question:
    """Ask how many distances between rows change when the words get other ids."""
    words = min(len(table), 12)
    return number(partial(changed_distances_figure, words=words, seed=seed), pairs=words * (words - 1) // 2)


def changed_distances_figure(table: Table, *, words: int, seed: int) -> int:
    """Return how many pairs of words have another distance after the rows are shuffled along with the words."""
    rows = np.asarray(table.rows[:words], float)
    order = np.random.default_rng(seed).permutation(words)
    shuffled, place = rows[order], np.argsort(order)  # row i is now row place[i]
    return sum(
        not np.isclose(np.linalg.norm(rows[i] - rows[j]), np.linalg.norm(shuffled[place[i]] - shuffled[place[j]]))
        for i, j in combinations(range(words), 2)
    )

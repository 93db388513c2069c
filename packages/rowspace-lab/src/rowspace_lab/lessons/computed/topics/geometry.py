"""The numbers of lesson 5: dot product, cosine and distance, stretched rows and turned tables."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_words
from rowspace_lab.lessons.computed.tables import six_words, small_world
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number, slider
from rowspace_lab.pages.words.pairs import compare_turned, pair_figure, random_rotation, turn_rows, turned_figure
from rowspace_lab.tables.examples import TWO_ARROWS

__all__ = [
    "arrows",
    "cat_dog",
    "exercise",
    "neighbors_after_turn",
    "rescaled",
    "same_nearest",
    "stretched",
    "turned",
    "unit",
]

MEASURES = ("the dot product", "the cosine", "the distance")
STRETCHES = (("cat", "dog", 2.0), ("cat", "the", 3.0), ("the", "on", 0.5), ("cat", "sat", 2.0), ("cat", "the", 0.5))
TURNS = {
    "rotation": "Turn all rows by the same rotation",
    "exchange": "Exchange the first two numbers of every row",
    "signs": "Change the sign of the first three numbers of every row",
}
TURNED = (
    ("queen", "rotation", "neighbors"),
    ("cat", "exchange", "numbers"),
    ("house", "rotation", "numbers"),
    ("prince", "signs", "neighbors"),
    ("milk", "signs", "numbers"),
)
"""A word, what is done to the table, and what is counted.

No neighbor ever changes, so a question that returns may count the numbers of the row that change.
"""
SHARES: tuple[tuple[str, space.Metric, int], ...] = (
    ("cosine", "cosine", 500),
    ("distance", "euclidean", 500),
    ("cosine", "cosine", 100),
    ("distance", "euclidean", 100),
)
"""A measure to compare with the dot product, and a number of words. A table with fewer words is compared as a whole."""


TURN = 3
"""The rotation of the lesson, as in the address of its figure."""


def arrows() -> Mapping[str, object]:
    """Return the two arrows that the lesson opens with, and their three measures."""
    a, b = np.array(list(TWO_ARROWS.values()))
    return {
        "a": f"({a[0]:g}, {a[1]:g})",
        "b": f"({b[0]:g}, {b[1]:g})",
        "dot": float(a @ b),
        "cosine": float(space.cosine(a, b)),
        "distance": float(np.linalg.norm(a - b)),
        "tripled_dot": float(a @ (3 * b)),
        "tripled_distance": float(np.linalg.norm(a - 3 * b)),
    }


def cat_dog() -> Mapping[str, float]:
    """Return the measures of cat and dog, of cat and the, and of cat and dog with its row twice as long."""
    near, far = (pair_figure(six_words(), words=("cat", word)) for word in ("dog", "the"))
    first_place, twice = (near["factors"].tolist().index(factor) for factor in (1.0, 2.0))
    first, second, third = near["products"].tolist()
    return {
        "first": first,
        "second": second,
        "third": third,
        "dot": float(near["dots"][first_place]),
        "cosine": near["cosine"],
        "distance": float(near["distances"][first_place]),
        "norm_cat": float(near["norms"][0]),
        "norm_dog": float(near["norms"][1]),
        "twice_dot": float(near["dots"][twice]),
        "twice_distance": float(near["distances"][twice]),
        "self": float(near["norms"][0]) ** 2,
        "the_dot": float(far["dots"][first_place]),
        "the_cosine": far["cosine"],
    }


def unit() -> Mapping[str, float]:
    """Return the squared distance and the distance of two unit vectors with a given dot product."""
    dot = 0.8
    squared = 1 - 2 * dot + 1
    return {"dot": dot, "squared": squared, "distance": squared**0.5}


def turned() -> Mapping[str, object]:
    """Return which column separates royalty from commoners in Small world, before and after a rotation."""
    table = small_world()
    found = turned_figure(table, word="queen", k=10, metric="cosine", seed=TURN)
    ids = table.ids(["king", "queen", "man", "woman"])
    columns = []
    for rows in (table.rows, turn_rows(table.rows, random_rotation(table.dim, TURN))):
        king, queen, man, woman = rows[ids].astype(float)
        columns.append(int(np.abs(king + queen - man - woman).argmax()))
    return {
        "before": columns[0],
        "after": columns[1],
        "bars": found["bars"],
        "bars_changed": found["bars_changed"],
        "neighbors_changed": found["neighbors_changed"],
    }


def rescaled() -> Mapping[str, float]:
    """Return the cosine of cat and the after their third numbers are multiplied by a factor."""
    factor = 5.0
    cat, the = six_words()[["cat", "the"]].astype(float) * (1, 1, factor)
    return {"factor": factor, "cosine": float(space.cosine(cat, the))}


def exercise() -> Mapping[str, float]:
    """Return the cosine of cat with dog, and with dog times −1."""
    found = pair_figure(six_words(), words=("cat", "dog"))
    minus = found["factors"].tolist().index(-1.0)
    return {"cosine": found["cosine"], "minus": float(found["cosines"][minus])}


def stretched(table: Table, seed: int) -> Question:
    """Ask which measure changes by the largest factor when a row is stretched."""
    first, second, factor = picked(seed, STRETCHES)
    require_words(table, first, second)
    answer = partial(stretched_figure, first=first, second=second, factor=factor)
    return choice(list(MEASURES), answer, first=first, second=second, factor=factor)


def stretched_figure(table: Table, *, first: str, second: str, factor: float) -> Mapping[str, float]:
    """Compute the three measures of two rows before and after the second is stretched, and which changes most."""
    found = pair_figure(table, words=(first, second))
    first_place, second_place = (int(np.abs(found["factors"] - at).argmin()) for at in (1, factor))
    measures = np.array([found["dots"], found["cosines"], found["distances"]])
    ratios = np.abs(np.log(np.abs(measures[:, second_place] / measures[:, first_place])))
    names = ("dot", "cosine", "distance")
    before = {f"{name}_before": float(value) for name, value in zip(names, measures[:, first_place], strict=True)}
    after = {f"{name}_after": float(value) for name, value in zip(names, measures[:, second_place], strict=True)}
    return {"answer": int(ratios.argmax()), **before, **after}


def neighbors_after_turn(table: Table, seed: int) -> Question:
    """Ask how many neighbors of a word, or numbers of its row, change when the table is turned."""
    word, turn, counted = picked(seed, TURNED)
    require_words(table, word)
    k = min(10, len(table) - 1)
    compared = (
        f"{k} nearest neighbors of {word}" if counted == "neighbors" else f"{table.dim} numbers of the row of {word}"
    )
    answer = partial(neighbors_after_turn_figure, word=word, k=k, turn=turn, counted=counted)
    return number(answer, word=word, k=k, operation=TURNS[turn], compared=compared)


def neighbors_after_turn_figure(table: Table, *, word: str, k: int, turn: str, counted: str) -> Mapping[str, int]:
    """Turn the table, and count the neighbors of a word and the numbers of its row that change."""
    found = compare_turned(table, turn_matrix(table.dim, turn), word=word, k=k, metric="cosine")
    changed = {"neighbors": found["neighbors_changed"], "numbers": found["bars_changed"]}
    return {"answer": changed[counted], "bars": found["bars"], **changed}


def turn_matrix(dim: int, turn: str) -> NDArray[np.float64]:
    """Return an orthogonal matrix, (d, d): a rotation, an exchange of two columns, or other signs of three."""
    if turn == "rotation":
        return random_rotation(dim, 1)
    if turn == "exchange":
        return np.eye(dim)[[1, 0, *range(2, dim)]]
    return np.diag(np.where(np.arange(dim) < 3, -1.0, 1.0))


def same_nearest(table: Table, seed: int) -> Question:
    """Ask for the share of words whose nearest neighbor is the same by dot product and by another measure."""
    if len(table) < 3:
        raise UsageError("this table has fewer than three words; choose another table")
    other, metric, most = picked(seed, SHARES)
    count = min(most, len(table))
    answer = partial(same_nearest_figure, metric=metric, count=count, seed=seed)
    return slider((0, 100, 1), answer, count=count, other=other, tolerance=10, unit="%")


def same_nearest_figure(table: Table, *, metric: space.Metric, count: int, seed: int) -> float:
    """Compute the percentage of drawn words whose nearest neighbor is the same by dot product and another measure."""
    ids = np.random.default_rng(seed).permutation(len(table))[:count]
    by_dot, by_other = (
        space.nearest(table.rows[ids], table.rows, 1, metric=each, exclude=ids[:, np.newaxis])[0]
        for each in ("dot", metric)
    )
    return float(100 * (by_dot == by_other).mean())

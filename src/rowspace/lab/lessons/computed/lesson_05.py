"""The numbers of lesson 5: dot product, cosine and distance, stretched rows and turned tables."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.lessons.computed.requirements import require_words
from rowspace.lab.lessons.computed.tables import six_words, small_world
from rowspace.lab.lessons.question import Question, choice, number, slider
from rowspace.lab.pages.words.pairs import pair_figure, random_rotation, turn_rows, turned_figure
from rowspace.lab.tables.examples import TWO_ARROWS
from rowspace.table import Table

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
TURNED = ("queen", "cat", "house", "prince", "milk")
SAMPLE = 500


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
    once, twice = (near["factors"].tolist().index(factor) for factor in (1.0, 2.0))
    first, second, third = near["products"].tolist()
    return {
        "first": first,
        "second": second,
        "third": third,
        "dot": float(near["dots"][once]),
        "cosine": near["cosine"],
        "distance": float(near["distances"][once]),
        "norm_cat": float(near["norms"][0]),
        "norm_dog": float(near["norms"][1]),
        "twice_dot": float(near["dots"][twice]),
        "twice_distance": float(near["distances"][twice]),
        "self": float(near["norms"][0]) ** 2,
        "the_dot": float(far["dots"][once]),
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
    found = turned_figure(table, word="queen", k=10, metric="cosine", seed=1)
    ids = table.ids(["king", "queen", "man", "woman"])
    columns = []
    for rows in (table.rows, turn_rows(table.rows, random_rotation(table.dim, 1))):
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
    first, second, factor = STRETCHES[seed % len(STRETCHES)]
    require_words(table, first, second)
    answer = partial(stretched_figure, first=first, second=second, factor=factor)
    return choice(list(MEASURES), answer, first=first, second=second, factor=factor)


def stretched_figure(table: Table, *, first: str, second: str, factor: float) -> Mapping[str, float]:
    """Compute the three measures of two rows before and after the second is stretched, and which changes most."""
    found = pair_figure(table, words=(first, second))
    once, then = (int(np.abs(found["factors"] - at).argmin()) for at in (1, factor))
    measures = np.array([found["dots"], found["cosines"], found["distances"]])
    ratios = np.abs(np.log(np.abs(measures[:, then] / measures[:, once])))
    names = ("dot", "cosine", "distance")
    before = {f"{name}_before": float(value) for name, value in zip(names, measures[:, once], strict=True)}
    after = {f"{name}_after": float(value) for name, value in zip(names, measures[:, then], strict=True)}
    return {"answer": int(ratios.argmax()), **before, **after}


def neighbors_after_turn(table: Table, seed: int) -> Question:
    """Ask how many neighbors of a word change when the table is turned."""
    word = TURNED[seed % len(TURNED)]
    require_words(table, word)
    k = min(10, len(table) - 1)
    answer = partial(neighbors_after_turn_figure, word=word, k=k, seed=seed + 1)
    return number(answer, word=word, k=k, dim=table.dim)


def neighbors_after_turn_figure(table: Table, *, word: str, k: int, seed: int) -> Mapping[str, int]:
    """Turn the table, and count the neighbors of a word and the numbers of its row that change."""
    found = turned_figure(table, word=word, k=k, metric="cosine", seed=seed)
    return {"answer": found["neighbors_changed"], "bars": found["bars"], "bars_changed": found["bars_changed"]}


def same_nearest(table: Table, seed: int) -> Question:
    """Ask for the share of words whose nearest neighbor is the same by dot product and by cosine."""
    if len(table) < 3:
        raise UsageError("this table has fewer than three words; choose another table")
    count = min(SAMPLE, len(table))
    answer = partial(same_nearest_figure, count=count, seed=seed)
    return slider((0, 100, 1), answer, count=count, tolerance=10, unit="%")


def same_nearest_figure(table: Table, *, count: int, seed: int) -> float:
    """Compute the percentage of drawn words whose nearest neighbor is the same by dot product and by cosine."""
    ids = np.random.default_rng(seed).permutation(len(table))[:count]
    by_dot, by_cosine = (
        space.nearest(table.rows[ids], table.rows, 1, metric=metric, exclude=ids[:, np.newaxis])[0]
        for metric in ("dot", "cosine")
    )
    return float(100 * (by_dot == by_cosine).mean())

"""Lesson 5: dot product, cosine and distance, compared with NumPy."""

from itertools import combinations

import numpy as np
import pytest
from tests.lessons.asking import ask, run_card

from rowspace.table import Table
from rowspace_lab.lessons.computed.tables import six_words, small_world
from rowspace_lab.lessons.computed.topics import geometry as computed
from rowspace_lab.tables.examples import SIX_WORDS


def measures(a: np.ndarray, b: np.ndarray) -> list[float]:
    """Dot product, cosine and distance."""
    return [float(a @ b), float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), float(np.linalg.norm(a - b))]


def test_the_numbers_of_the_text() -> None:
    cat, dog, the = (np.array(SIX_WORDS[word]) for word in ("cat", "dog", "the"))
    found = computed.cat_dog()
    assert [found["first"], found["second"], found["third"]] == pytest.approx([0.4896, 0.1558, 0.0330], abs=1e-7)
    assert [found["dot"], found["cosine"], found["distance"]] == pytest.approx(measures(cat, dog), abs=1e-7)
    dot, _, distance = measures(cat, 2 * dog)
    assert [found["twice_dot"], found["twice_distance"]] == pytest.approx([dot, distance], abs=1e-7)
    assert [found["the_dot"], found["the_cosine"]] == pytest.approx(measures(cat, the)[:2], abs=1e-7)
    assert found["self"] == pytest.approx(cat @ cat)
    arrows = computed.arrows()
    assert (arrows["a"], arrows["b"]) == ("(3, 0)", "(1, 0)")
    assert (arrows["dot"], arrows["cosine"], arrows["distance"]) == (3, 1, 2)
    assert [arrows["tripled_dot"], arrows["tripled_distance"]] == [np.dot([3, 0], [3, 0]), 0]
    u, v = np.array([1, 0]), np.array([0.8, 0.6])
    assert computed.unit()["squared"] == pytest.approx((u - v) @ (u - v))
    assert computed.exercise()["minus"] == pytest.approx(measures(cat, -dog)[1])


def test_rescaling_a_column_keeps_products_but_not_cosines() -> None:
    cat, the = (np.array(SIX_WORDS[word]) for word in ("cat", "the"))
    scale, hidden = np.array([1, 1, computed.rescaled()["factor"]]), np.array([0.3, -0.2, 0.7])
    assert (cat * scale) @ (hidden / scale) == pytest.approx(cat @ hidden)
    assert computed.rescaled()["cosine"] == pytest.approx(measures(cat * scale, the * scale)[1], abs=1e-6)


def test_a_rotation_moves_the_column_of_royalty_and_no_distance() -> None:
    found, rows = computed.turned(), small_world().rows.astype(float)
    king, queen, man, woman = rows[small_world().ids(["king", "queen", "man", "woman"])]
    q, r = np.linalg.qr(np.random.default_rng(3).normal(size=(16, 16)))  # the rotation of the Words page with seed 3
    q *= np.sign(np.diag(r))
    q[:, 0] *= np.sign(np.linalg.det(q))
    difference = king + queen - man - woman
    assert found["before"] == np.abs(difference).argmax()
    assert found["after"] == np.abs(difference @ q).argmax() != found["before"]
    assert (found["bars_changed"], found["neighbors_changed"]) == (16, 0)
    for i, j in combinations(range(0, len(rows), 20), 2):
        assert np.linalg.norm((rows[i] - rows[j]) @ q) == pytest.approx(np.linalg.norm(rows[i] - rows[j]))


@pytest.mark.parametrize("seed", range(5))
def test_the_measure_that_a_stretch_changes_most(seed: int) -> None:
    fields, found = ask(5, "stretched", six_words(), seed)
    a, b = (np.array(SIX_WORDS[fields[name]]) for name in ("first", "second"))
    before, after = np.array(measures(a, b)), np.array(measures(a, fields["factor"] * b))
    names = ("dot", "cosine", "distance")
    assert [found[f"{name}_before"] for name in names] == pytest.approx(before, abs=1e-7)
    assert [found[f"{name}_after"] for name in names] == pytest.approx(after, abs=1e-7)
    assert found["answer"] == np.maximum(np.abs(after / before), np.abs(before / after)).argmax()


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4])
def test_numbers_of_a_row_but_no_neighbors_change_when_the_table_is_turned(seed: int) -> None:
    fields, found = ask(5, "neighbors_after_turn", small_world(), seed)
    numbers = {"Turn": 16, "Exchange": 2, "Change": 3}[fields["operation"].split()[0]]
    answer = 0 if fields["compared"].startswith("10 nearest neighbors of ") else numbers
    assert found == {"answer": answer, "bars": 16, "numbers": numbers, "neighbors": 0}


def test_turns_are_orthogonal_and_differ() -> None:
    turns = [computed.turn_matrix(16, turn) for turn in computed.TURNS]
    for turn in turns:
        np.testing.assert_allclose(turn @ turn.T, np.eye(16), atol=1e-12)
    row = np.arange(1.0, 17)
    assert (row @ turns[1]).tolist() == [2, 1, *range(3, 17)]
    assert (row @ turns[2]).tolist() == [-1, -2, -3, *range(4, 17)]
    assert not np.isclose(row @ turns[0], row).any()


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_share_of_words_with_the_same_nearest_neighbor(seed: int) -> None:
    drawn = np.random.default_rng(7)
    rows = drawn.normal(size=(600, 8)) * drawn.lognormal(size=(600, 1))
    table = Table([f"word{id}" for id in range(600)], rows)
    fields, found = ask(5, "same_nearest", table, seed)
    rows = table.rows.astype(float)
    products, distances = rows @ rows.T, np.linalg.norm(rows[:, None] - rows, axis=2)
    np.fill_diagonal(products, -np.inf)
    np.fill_diagonal(distances, np.inf)
    nearest = {"cosine": (products / np.linalg.norm(rows, axis=1)).argmax(1), "distance": distances.argmin(1)}
    same = products.argmax(1) == nearest[fields["other"]]
    ids = np.random.default_rng(seed).permutation(600)[: fields["count"]]
    assert (fields["other"], fields["count"]) == (("cosine", "distance")[seed % 2], (500, 100)[seed // 2])
    assert found["answer"] == pytest.approx(100 * same[ids].mean())
    assert found["answer"] < 50  # rows of very different lengths


def test_the_card_runs() -> None:
    assert run_card(5)["result"] == (3, 1, 2)

"""Two words and the turned table: numbers equal those of NumPy, SciPy and the lesson's six words."""

import numpy as np
import pytest
from scipy.spatial import distance

from rowspace.errors import UnknownTokenError, UsageError
from rowspace_lab.pages.words.pairs import random_rotation

SIX = {
    "the": (-0.12, 0.05, 0.88), "cat": (0.72, -0.41, 0.15), "dog": (0.68, -0.38, 0.22),
    "sat": (-0.55, 0.62, -0.03), "house": (0.31, 0.15, -0.72), "on": (-0.08, 0.11, 0.79),
}  # fmt: skip


@pytest.fixture
def six(small_lab):
    return small_lab(list(SIX), np.array(list(SIX.values())))


def at_factor(reply, factor: float) -> dict[str, float]:
    at = int(np.flatnonzero(reply.arrays["factors"] == factor)[0])
    return {name: reply.arrays[name][at] for name in ("dots", "cosines", "distances")}


def test_products_and_split_of_the_dot_product_equal_those_of_the_lesson(six, check_code) -> None:
    reply = check_code(six, "words/pair", a="cat", b="dog")
    assert reply.arrays["products"].round(4).tolist() == [0.4896, 0.1558, 0.0330]
    split = np.prod(reply.arrays["norms"]) * np.cos(np.radians(reply.meta["degrees"]))
    assert split == pytest.approx(reply.arrays["products"].sum(), abs=1e-12)
    assert round(reply.meta["cosine"], 3) == 0.995


def test_stretching_a_row_twofold_changes_dot_and_distance_but_not_the_cosine(six, check_code) -> None:
    reply = check_code(six, "words/pair", a="cat", b="dog")
    once, twice = at_factor(reply, 1), at_factor(reply, 2)
    assert [round(float(once[name]), 3) for name in once] == [0.678, 0.995, 0.086]
    assert [round(float(twice[name]), 3) for name in twice] == [1.357, 0.995, 0.785]
    negative = at_factor(reply, -1)
    assert negative["cosines"] == pytest.approx(-once["cosines"])


def test_stretched_scores_equal_those_of_scipy(lab, check_code) -> None:
    reply = check_code(lab, "words/pair", a="sin", b="json")
    a, b = np.float64(lab.table["sin"]), np.float64(lab.table["json"])
    for factor, dot, cosine, apart in zip(
        *(reply.arrays[name] for name in ("factors", "dots", "cosines", "distances")), strict=True
    ):
        assert dot == pytest.approx(np.dot(a, factor * b), abs=1e-9)
        assert apart == pytest.approx(distance.euclidean(a, factor * b), abs=1e-6)
        if factor:
            assert cosine == pytest.approx(1 - distance.cosine(a, factor * b), abs=1e-6)


def test_turned_table_changes_all_bars_and_no_neighbor(lab, check_code) -> None:
    reply = check_code(lab, "words/turn", word="sin", seed=3)
    assert reply.meta["bars_changed"] == reply.meta["bars"] == lab.table.dim
    assert reply.meta["before"] == reply.meta["after"] == [token for token, _ in lab.table.neighbors("sin")]
    assert reply.meta["neighbors_changed"] == 0
    assert reply.meta["largest_change"] < 1e-6
    np.testing.assert_allclose(np.linalg.norm(reply.arrays["turned"]), np.linalg.norm(reply.arrays["row"]))


@pytest.mark.parametrize("dim", [1, 2, 5, 30])
def test_rotation_is_orthogonal_with_determinant_one(dim: int) -> None:
    rotation = random_rotation(dim, 7)
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(dim), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1)


@pytest.mark.parametrize("words", [["one"], ["one", "two"], ["one", "two", "three"]])
def test_small_tables_get_a_reply(small_lab, check_code, words: list[str]) -> None:
    lab = small_lab(words, np.random.default_rng(0).normal(size=(len(words), 1)))
    assert set(check_code(lab, "words/pair").meta["words"]) <= set(words)
    assert check_code(lab, "words/turn").meta["bars_changed"] == 0  # the only rotation of one dimension


def test_row_of_zeros_has_no_angle_and_is_no_neighbor_in_the_turned_table(small_lab, ask, check_code) -> None:
    lab = small_lab(["a", "zero", "b"], np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.1]]))
    assert check_code(lab, "words/turn", word="a").meta["after"] == ["b"]
    assert check_code(lab, "words/turn", word="zero", metric="euclidean").meta["after"] == ["a", "b"]
    with pytest.raises(UsageError, match="the row of 'zero' is zero, so it has no neighbors; use another word"):
        ask(lab, "words/turn", word="zero")
    with pytest.raises(UsageError, match="the row of 'zero' is zero, so it has no angle to another one"):
        ask(lab, "words/pair", a="a", b="zero")


def test_errors_name_the_word(small_lab, lab, ask) -> None:
    with pytest.raises(UnknownTokenError, match="did you mean 'typeerror'"):
        ask(lab, "words/pair", b="typeerorr")
    with pytest.raises(UsageError, match="the row of 'a' contains NaN"):
        ask(small_lab(["a", "b"], np.array([[np.nan, 1], [1, 2]])), "words/turn", word="a")

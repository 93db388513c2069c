"""The palette has words of the table; the map of chosen words equals scikit-learn's PCA of their rows alone."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from rowspace.errors import UsageError
from rowspace_lab.pages.words.chosen import groups_of


def test_palette_has_thirty_different_words_of_the_table(lab, check_code) -> None:
    reply = check_code(lab, "words/palette")
    assert len(set(reply.meta["tokens"])) == 30
    assert lab.table.ids(reply.meta["tokens"]).tolist() == reply.arrays["ids"].tolist()
    assert "typeerror" in reply.meta["tokens"]


@pytest.mark.parametrize("size", [1, 3, 6])
def test_palette_of_a_small_table_has_all_its_words(small_lab, check_code, size: int) -> None:
    words = [f"w{number}" for number in range(size)]
    assert sorted(check_code(small_lab(words, np.eye(size)), "words/palette").meta["tokens"]) == words


def test_palette_without_counts_has_words_nearest_to_the_centers(small_lab, check_code) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 8))
    words = [f"word{letter}{other}" for letter in "abcdefghij" for other in "abcdefghijklmnopqrst"]
    reply = check_code(small_lab(words, rows), "words/palette", k=20)
    assert len(set(reply.meta["tokens"])) == 20


def test_positions_equal_the_components_of_the_chosen_rows_alone(lab, check_code) -> None:
    reply = check_code(lab, "words/chosen-map", groups="trigonometry: sin cos\nformats: json, csv xml")
    words = ["sin", "cos", "json", "csv", "xml"]
    assert reply.meta["words"] == words
    assert reply.meta["groups"] == [0, 0, 1, 1, 1]
    assert reply.meta["names"] == ["trigonometry", "formats"]
    expected = PCA(2).fit_transform(np.float64(lab.table[words]))
    np.testing.assert_allclose(np.abs(reply.arrays["positions"]), np.abs(expected), atol=1e-5)


def test_unknown_words_are_named_and_left_out(lab, check_code) -> None:
    reply = check_code(lab, "words/chosen-map", groups="sin nosuchword cos")
    assert (reply.meta["words"], reply.meta["missing"]) == (["sin", "cos"], ["nosuchword"])


def test_words_are_found_with_their_word_start_marker(small_lab, check_code) -> None:
    lab = small_lab(["Ġcat", "Ġdog", "x"], np.eye(3))
    assert check_code(lab, "words/chosen-map", groups="cat dog x").meta["words"] == ["Ġcat", "Ġdog", "x"]


def test_items_of_two_words_are_found_by_the_symbol_of_a_blank(small_lab, check_code, ask) -> None:
    lab = small_lab(["orange juice", "juice"], np.eye(2))
    reply = check_code(lab, "words/chosen-map", groups="orange␣juice juice")
    assert (reply.meta["words"], reply.meta["missing"]) == (["orange juice", "juice"], [])
    assert set(ask(lab, "words/chosen-map").meta["words"]) == {"orange juice", "juice"}


@pytest.mark.parametrize("groups", ["", "nothing here", "a", "a: \n\n: b", "nan", "a nan"])
def test_unusual_groups_get_a_reply(small_lab, check_code, groups: str) -> None:
    lab = small_lab(["a", "b", "nan"], np.array([[1.0], [2.0], [np.nan]]))
    reply = check_code(lab, "words/chosen-map", groups=groups)
    assert reply.arrays["positions"].shape == (len(reply.meta["words"]), 2)


def test_too_many_words_are_refused(lab, ask) -> None:
    words = [f"nosuch{number}" for number in range(81)]
    assert len(ask(lab, "words/chosen-map", groups=" ".join(words[:80])).meta["missing"]) == 80
    with pytest.raises(UsageError, match="groups must have at most 80 words, not 81"):
        ask(lab, "words/chosen-map", groups=" ".join(words))


def test_group_names_are_optional() -> None:
    assert groups_of("a b\n\ntwo: c") == [("group 1", ["a", "b"]), ("two", ["c"])]

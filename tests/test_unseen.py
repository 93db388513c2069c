"""A table with n-grams: out-of-vocabulary words get rows, with a warning."""

import numpy as np
import pytest

from rowspace.errors import UnknownTokenError, UnseenTokenWarning
from rowspace.subwords.hashing import NO_ROW, Subwords, ngram_buckets
from rowspace.table import Table

TOKENS = ["cat", "dog", "the"]
ROWS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
CATTY = np.array([1, 0.5, 0], np.float32)  # the row that each n-gram of "catty" has


@pytest.fixture
def table():
    places = np.full(1000, NO_ROW, np.int32)
    places[ngram_buckets("catty", buckets=1000)] = 0
    return Table(TOKENS, ROWS, subwords=Subwords(CATTY[np.newaxis], ROWS, places))


def says(word="catty"):
    return pytest.warns(UnseenTokenWarning, match=f"'{word}' is not in the vocabulary: its row is the mean of its n-gr")


def test_unseen_word_has_a_row_with_a_warning(table):
    with says():
        np.testing.assert_allclose(table["catty"], CATTY, rtol=1e-6)
    with says():
        np.testing.assert_allclose(table[["dog", "catty", 0]], [ROWS[1], CATTY, ROWS[0]], rtol=1e-6)


def test_known_word_has_its_row_without_a_warning(table):
    np.testing.assert_array_equal(table["cat"], ROWS[0])
    np.testing.assert_array_equal(table[["dog", "cat"]], ROWS[[1, 0]])
    np.testing.assert_array_equal(table[np.array([2, 1])], ROWS[[2, 1]])
    assert table[[]].shape == (0, 3)
    assert "catty" not in table


def test_neighbors_exclude_only_tokens_with_an_id(table):
    with says():
        assert [token for token, _ in table.neighbors("catty")] == ["cat", "dog", "the"]
    with says():
        assert [token for token, _ in table.neighbors(["catty", "cat"])] == ["dog", "the"]


def test_similarity_sets_and_odd_one_out_take_unseen_words(table):
    with says():
        assert table.similarity("catty", "dog") == pytest.approx(0.5 / np.sqrt(1.25))
    with says():
        assert table.set_similarity(["catty"], ["dog"]) == pytest.approx(0.5 / np.sqrt(1.25))
    with says():
        assert table.odd_one_out(["cat", "catty", "the"]) == "the"


def test_evaluate_pairs_counts_pairs_with_unseen_words(table, tmp_path):
    file = tmp_path / "pairs"
    file.write_text("cat dog 1\nCatty cat 9\ncatty the 0\ncat zzz 3\n")
    scores = table.evaluate_pairs(file)
    assert (scores.used, scores.composed, scores.oov_ratio) == (3, 2, 25)
    assert scores.spearman.r == pytest.approx(0.866, abs=1e-3)  # cosines 0, .894, 0
    plain = Table(TOKENS, ROWS)
    file.write_text("cat dog 1\ncat the 2\ncatty cat 9\n")
    assert (plain.evaluate_pairs(file).composed, table.evaluate_pairs(file).composed) == (0, 1)
    assert table.evaluate_pairs(file, case_insensitive=False).composed == 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: table["zzz"],
        lambda table: table.neighbors("zzz"),
        lambda table: table.id("catty"),
        lambda table: table.analogy("cat", "dog", "catty"),
    ],
)
def test_word_without_a_row_or_an_id_is_an_error(table, ask):
    with pytest.raises(UnknownTokenError, match="is not in the vocabulary"):
        ask(table)

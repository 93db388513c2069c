"""A table with n-grams: out-of-vocabulary words get a row, with an `UnseenTokenWarning`."""

import numpy as np
import pytest

from rowspace.errors import UnknownTokenError, UnseenTokenWarning
from rowspace.subwords.hashing import NO_ROW, Subwords, ngram_buckets
from rowspace.table import Table

TOKENS = ["cat", "dog", "the"]
ROWS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
CATTY = np.array([1, 0.5, 0], np.float32)  # the row of each n-gram of "catty"


@pytest.fixture
def table():
    places = np.full(1000, NO_ROW, np.int32)
    places[ngram_buckets("catty", buckets=1000)] = 0
    return Table(TOKENS, ROWS, subwords=Subwords(CATTY[np.newaxis], ROWS, places))


def warns_unseen(word="catty"):
    return pytest.warns(UnseenTokenWarning, match=f"'{word}' is not in the vocabulary: its row is the mean of its n-gr")


def test_unseen_word_gets_a_row_with_a_warning(table):
    with warns_unseen():
        np.testing.assert_allclose(table["catty"], CATTY, rtol=1e-6)
    with warns_unseen():
        np.testing.assert_allclose(table[["dog", "catty", 0]], [ROWS[1], CATTY, ROWS[0]], rtol=1e-6)


def test_known_tokens_keep_their_rows_without_a_warning(table):
    np.testing.assert_array_equal(table["cat"], ROWS[0])
    np.testing.assert_array_equal(table[["dog", "cat"]], ROWS[[1, 0]])
    np.testing.assert_array_equal(table[np.array([2, 1])], ROWS[[2, 1]])
    assert table[[]].shape == (0, 3)
    assert "catty" not in table


def test_neighbors_of_an_unseen_word_exclude_only_known_query_tokens(table):
    with warns_unseen():
        assert [token for token, _ in table.neighbors("catty")] == ["cat", "dog", "the"]
    with warns_unseen():
        assert [token for token, _ in table.neighbors(["catty", "cat"])] == ["dog", "the"]


def test_similarity_and_set_methods_accept_an_unseen_word(table):
    with warns_unseen():
        assert table.similarity("catty", "dog") == pytest.approx(0.5 / np.sqrt(1.25))
    with warns_unseen():
        assert table.set_similarity(["catty"], ["dog"]) == pytest.approx(0.5 / np.sqrt(1.25))
    with warns_unseen():
        assert table.odd_one_out(["cat", "catty", "the"]) == "the"


def test_evaluate_pairs_uses_and_counts_composed_rows(table, tmp_path):
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
def test_word_without_row_or_id_is_refused(table, ask):
    with pytest.raises(UnknownTokenError, match="is not in the vocabulary"):
        ask(table)

"""`Table`: validation, lookups and queries; the formulas are tested in tests/space."""

import copy
import pickle

import numpy as np
import pytest
from gensim.models import KeyedVectors

from rowspace.errors import UnknownTokenError, UsageError
from rowspace.space import nearest_reference
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

TOKENS = ["the", "cat", "dog", "Paris", "한국", "mat", "sat", "on"]
ROWS = np.random.default_rng(0).standard_normal((8, 5)).astype(np.float32)


@pytest.fixture
def table():
    return Table(TOKENS, ROWS, np.arange(8, 0, -1), settings={"dim": 5})


@pytest.fixture
def peer():
    vectors = KeyedVectors(5)
    vectors.add_vectors(TOKENS, ROWS)
    return vectors


def test_tokens_and_ids_are_looked_up(table):
    assert (len(table), table.dim, list(table), "cat" in table, "cow" in table, 1 in table) == (
        8, 5, TOKENS, True, False, False,
    )  # fmt: skip
    assert (table.id("dog"), table.ids(["한국", "the", "the"]).tolist()) == (2, [4, 0, 0])
    np.testing.assert_array_equal(table["cat"], ROWS[1])
    np.testing.assert_array_equal(table[np.int64(3)], ROWS[3])
    np.testing.assert_array_equal(table[["cat", "on"]], ROWS[[1, 7]])
    np.testing.assert_array_equal(table[np.array([2, 2])], ROWS[[2, 2]])
    assert table[[]].shape == (0, 5)
    assert table.ids([]).dtype == np.int64


def test_repr(table):
    assert repr(table) == "Table(8 tokens × 5, float32)"


def test_rows_and_settings_are_stored_unchanged(table):
    assert table.rows is ROWS
    assert (table.counts.dtype, table.counts[0], table.settings, table.tokenizer) == (
        np.int64,
        8,
        {"dim": 5},
        None,
    )


def test_memory_mapped_rows_stay_mapped(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    table = Table(TOKENS, np.load(tmp_path / "rows.npy", mmap_mode="r"))
    assert isinstance(table.rows, np.memmap)
    assert table.neighbors("cat", k=2) == Table(TOKENS, ROWS).neighbors("cat", k=2)


def test_table_can_be_pickled_and_copied(table):
    for twin in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):
        assert twin.neighbors("cat") == table.neighbors("cat")
        assert (twin.vocabulary, twin.settings) == (table.vocabulary, table.settings)


@pytest.mark.parametrize(
    ("vocabulary", "rows", "counts", "message"),
    [
        (["a", "b"], np.ones((3, 2)), None, "vocabulary has 2 tokens but rows has 3 rows"),
        (["a"], np.ones(1), None, r"rows must be a \(V, d\) array of floats, got shape \(1,\)"),
        (["a"], np.ones((1, 2), np.int32), None, "of int32"),
        (["a"], np.ones((1, 0)), None, "at least 1 wide"),
        (["a", "b", "a"], np.ones((3, 2)), None, "'a' is duplicated in the vocabulary, as ids 0 and 2"),
        (["b", "a", "c", "a"], np.ones((4, 2)), None, "as ids 1 and 3"),
        ("ab", np.ones((2, 2)), None, "got one string: 'ab'"),
        (["a", 1], np.ones((2, 2)), None, "id 1 is 1"),
        (["a"], np.ones((1, 2)), np.ones(2, np.int64), "counts must be 1 integer,"),
        (["a"], np.ones((1, 2)), np.ones(1), "of float64"),
        (["a", "b"], np.ones((2, 2)), np.array([4, -3]), r"counts must be from 0 to 2\*\*63 - 1, got -3 for id 1"),
        (["a"], np.ones((1, 2)), np.array([2**63], np.uint64), "got 9223372036854775808 for id 0"),
    ],
)
def test_inconsistent_arguments_are_refused(vocabulary, rows, counts, message):
    with pytest.raises(UsageError, match=message):
        Table(vocabulary, rows, counts)


def test_ngrams_of_words_of_another_shape_are_refused():
    for shape in ((1, 2), (2, 3)):
        subwords = Subwords(np.ones((1, shape[1])), np.zeros(shape), np.zeros(3, np.int32))
        with pytest.raises(UsageError, match=r"subwords.own must have the shape \(2, 2\) of the rows, got \("):
            Table(["cat", "dog"], np.eye(2), subwords=subwords)


@pytest.mark.parametrize("key", [-1, 8, True, 1.5, None, [-1], [True], [1.0], ["cat", 99]])
def test_invalid_key_is_refused(table, key):
    with pytest.raises(UsageError):
        table[key]


def test_unknown_token_error_suggests_the_nearest_spellings(table):
    with pytest.raises(UnknownTokenError, match="token 'paris' is not in the vocabulary; did you mean 'Paris'"):
        table.id("paris")
    with pytest.raises(UnknownTokenError, match=r"did you mean '.at' or '.at' or '.at'"):
        table.neighbors("bat")
    with pytest.raises(UnknownTokenError, match=r"none of the table.s 8 tokens has a similar spelling"):
        table[["cat", "xylophone"]]
    with pytest.raises(UnknownTokenError, match=r"none of the table.s 8 tokens"):
        table.id(["cat"])


def test_string_in_place_of_a_token_list_is_refused(table):
    for call in (table.ids, table.odd_one_out, lambda tokens: table.set_similarity(tokens, ["cat"])):
        with pytest.raises(UsageError, match=r"list of tokens.*'cat'"):
            call("cat")


def test_neighbors_of_a_token_equal_gensim(table, peer):
    found, expected = table.neighbors("cat", k=3), peer.most_similar("cat", topn=3)
    assert [token for token, _ in found] == [token for token, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-6)


def test_neighbors_of_several_tokens_equal_gensim(table, peer):
    found, expected = table.neighbors(["cat", "dog"]), peer.most_similar(positive=["cat", "dog"])
    assert [token for token, _ in found] == [token for token, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-6)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_neighbors_of_a_vector_exclude_no_token(table, metric):
    (ids,), (scores,) = nearest_reference(ROWS[1:2], ROWS, 8, metric=metric)
    expected = [(TOKENS[row], pytest.approx(score, abs=1e-6)) for row, score in zip(ids, scores, strict=True)]
    assert table.neighbors(ROWS[1], k=8, metric=metric) == expected
    assert table.neighbors(ROWS[1].tolist(), k=8, metric=metric) == expected


def test_neighbors_of_an_id_equal_those_of_its_token_and_large_k_is_allowed(table):
    assert table.neighbors(1, k=100) == table.neighbors("cat", k=100)
    assert len(table.neighbors(1, k=100)) == 7


@pytest.mark.parametrize("query", [[], np.ones(4), np.ones((1, 5)), ["cat", 1.0], [None] * 5, 3.5, None])
def test_invalid_query_is_refused(table, query):
    with pytest.raises(UsageError, match="query must be"):
        table.neighbors(query)


@pytest.mark.parametrize("k", [0, -3, True])
def test_k_below_one_is_an_error(table, k):
    with pytest.raises(UsageError, match="k must be"):
        table.neighbors("cat", k=k)
    with pytest.raises(UsageError, match="k must be"):
        table.analogy("cat", "dog", "mat", k=k)


def test_similarity_equals_gensim(table, peer):
    assert table.similarity("cat", "dog") == pytest.approx(peer.similarity("cat", "dog"), abs=1e-6)
    assert table.similarity("cat", "dog", metric="dot") == pytest.approx(float(ROWS[1] @ ROWS[2]), abs=1e-6)


def test_analogies_equal_gensim(table, peer):
    expected = peer.most_similar(positive=["dog", "mat"], negative=["cat"], topn=3)
    found = table.analogy("cat", "dog", "mat", k=3)
    assert [token for token, _ in found] == [token for token, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-6)
    assert "cat" not in dict(table.analogy("cat", "dog", "mat", k=8, method="3cosmul"))
    assert len(table.analogy("cat", "dog", "mat", k=8, method="3cosmul", keep_inputs=True)) == 8


def test_unknown_method_is_refused(table):
    with pytest.raises(UsageError, match="method must be '3cosadd' or '3cosmul', got 'pair'"):
        table.analogy("cat", "dog", "mat", method="pair")


def test_sets_equal_gensim(table, peer):
    tokens = ["cat", "dog", "mat", "on"]
    assert table.odd_one_out(tokens) == peer.doesnt_match(tokens)
    expected = peer.n_similarity(["cat", "dog"], ["on", "the"])
    assert table.set_similarity(["cat", "dog"], ["on", "the"]) == pytest.approx(expected, abs=1e-6)
    assert table.set_distance(["cat", "dog"], ["on", "the"]) == pytest.approx(1 - expected, abs=1e-6)


def test_empty_sets_are_an_error(table):
    with pytest.raises(UsageError, match="rows_a is empty"):
        table.set_similarity([], ["cat"])
    with pytest.raises(UsageError, match="at least 3 tokens, got 0"):
        table.odd_one_out([])


def test_evaluation_methods_pass_on_their_options(table, tmp_path):
    (tmp_path / "pairs").write_text("cat dog 9\nTHE paris 2\nmat sat 5\nmat cow 5\n", encoding="utf-8")
    (tmp_path / "questions").write_text(": one\ncat dog mat sat\n", encoding="utf-8")
    assert table.evaluate_pairs(tmp_path / "pairs").used == 3
    assert table.evaluate_pairs(tmp_path / "pairs", case_insensitive=False).oov_ratio == 50
    assert table.evaluate_analogies(tmp_path / "questions", restrict_vocab=3).oov_ratio == 100


def test_save_and_check_target_delegate_to_the_store(table, tmp_path):
    table.save(tmp_path / "table.npz", format="npz")
    assert list(np.load(tmp_path / "table.npz")["rows"].shape) == list(table.rows.shape)
    with pytest.raises(UsageError, match="unknown format 'excel'"):
        table.save(tmp_path / "table", format="excel")
    with pytest.raises(UsageError, match=r"the folder .* does not exist"):
        Table.check_target(tmp_path / "missing" / "table")


def test_float64_query_is_compared_in_float64():
    rows = np.array([[1.0, 0.0], [1.0, 1e-9], [0.0, 1.0]])
    table = Table(["a", "b", "c"], rows)
    found = table.neighbors(np.array([1.0, 2e-9]), k=2, metric="euclidean")
    assert [token for token, _ in found] == ["b", "a"]
    np.testing.assert_allclose([distance for _, distance in found], [1e-9, 2e-9], rtol=1e-6)

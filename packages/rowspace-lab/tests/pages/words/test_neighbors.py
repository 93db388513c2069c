"""The Words page's replies equal the results of the table and `rowspace.space`, and of the shown code."""

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import UnknownTokenError, UsageError
from rowspace.subwords.hashing import Subwords
from rowspace_lab.lab import Lab
from rowspace_lab.pages.words.neighbors import ROUTES
from rowspace_lab.shared.default_words import default_words

LESSON = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])


@pytest.mark.parametrize("route", ROUTES)
def test_defaults_give_a_reply_with_code(lab, check_code, route: str) -> None:
    reply = check_code(lab, route)
    assert all(array.size for array in reply.arrays.values())


@pytest.mark.parametrize("part", ["error", "SIN", "no such part", ".*"])
def test_words_are_found_by_substring(lab, check_code, part: str) -> None:
    reply = check_code(lab, "words/search", part=part, k=15)
    holding = [token for token in lab.table if part.casefold() in token]
    assert reply.meta["found"] == len(holding)
    assert set(reply.meta["tokens"]) <= set(holding)
    if part == "SIN":
        assert reply.meta["tokens"][0] == "sin"


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_neighbors_equal_those_of_the_table(lab, check_code, metric: str) -> None:
    reply = check_code(lab, "words/neighbors", word="typeerror", metric=metric, k=7)
    expected = lab.table.neighbors("typeerror", metric=metric, k=7)
    assert list(zip(reply.meta["tokens"], reply.arrays["scores"].tolist(), strict=True)) == expected
    ids = reply.arrays["ids"]
    assert reply.meta["counts"] == lab.table.counts[ids].tolist()
    assert reply.meta["norms"] == lab.table.norms[ids].tolist()


def test_rows_of_the_table_share_a_scale(lab, check_code) -> None:
    reply = check_code(lab, "words/rows", word=["sin", "cos", "the"])
    np.testing.assert_array_equal(reply.arrays["rows"], lab.table[["sin", "cos", "the"]])
    assert reply.meta["limit"] == np.abs(reply.arrays["rows"]).max()
    assert reply.arrays["ids"].tolist() == lab.table.ids(["sin", "cos", "the"]).tolist()


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_all_pairs_of_words_are_compared(lab, check_code, metric: str) -> None:
    matrix = check_code(lab, "words/compare", word=["sin", "cos", "json"], metric=metric).arrays["matrix"]
    assert matrix[0, 1] == pytest.approx(lab.table.similarity("sin", "cos", metric=metric))
    assert matrix.shape == (3, 3)


def test_distances_equal_those_of_the_lesson(small_lab, check_code) -> None:
    lab = small_lab(["cat", "dog", "the"], LESSON)
    reply = check_code(lab, "words/distances", word=["cat", "dog", "the"])
    assert reply.arrays["distances"].round(3).tolist() == [0.086, 1.204]
    assert round(reply.meta["times"]) == 14


def test_unknown_word_error_suggests_similar_spellings(lab, ask) -> None:
    for route in ("words/rows", "words/neighbors", "words/compare"):
        with pytest.raises(UnknownTokenError, match="did you mean 'typeerror'"):
            ask(lab, route, word="typeerorr")


def test_too_many_words_are_refused(lab, ask) -> None:
    with pytest.raises(UsageError, match="word must have at most 8 values, not 9"):
        ask(lab, "words/rows", word=["sin"] * 9)


AWKWARD = {
    "one row": (["only"], np.ones((1, 3)), None),
    "one dimension": (["a", "b"], np.array([[1.0], [-2.0]], np.float32), None),
    "strange tokens": (["x" * 1000, "שלום", "<script>alert(1)</script>", "", "a\nb"], np.eye(5), np.arange(5)),
    "zeros": (["a", "b"], np.zeros((2, 2), np.float16), np.zeros(2, np.int64)),
    "no number": (["a", "b", "c"], np.array([[1, np.nan], [np.inf, 1], [1, 2]]), None),
}


def test_every_kind_of_table_gets_a_reply(small_lab, check_code) -> None:
    for vocabulary, rows, counts in AWKWARD.values():
        lab = small_lab(vocabulary, rows, counts)
        for route in ROUTES:
            metric = {"metric": "euclidean"} if route == "words/neighbors" else {}  # a row of zeros has no other
            check_code(lab, route, **({} if route == "words/search" else {"word": vocabulary[-1], **metric}))
        assert set(default_words(lab.table, 20)) <= set(vocabulary)


def test_row_with_nan_is_shown_without_neighbors(small_lab, ask) -> None:
    lab = small_lab(["a", "b"], np.array([[np.nan, -3.0], [1, 2]]))
    assert ask(lab, "words/rows", word="a").meta["limit"] == 3
    with pytest.raises(UsageError, match="the row of 'a' contains NaN or infinity, so it has no neighbors"):
        ask(lab, "words/neighbors", word="a")


def test_row_of_zeros_has_no_neighbors_and_is_none(small_lab, ask, check_code) -> None:
    lab = small_lab(["a", "zero", "b", "c"], np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.1], [0.0, 1.0]]))
    for metric in ("cosine", "dot"):
        with pytest.raises(UsageError, match="the row of 'zero' is zero, so it has no neighbors; use another word"):
            ask(lab, "words/neighbors", word="zero", metric=metric)
    compared = check_code(lab, "words/compare", word=["a", "zero"])
    np.testing.assert_array_equal(compared.arrays["matrix"], [[1, np.nan], [np.nan, np.nan]])
    assert check_code(lab, "words/neighbors", word="a").meta["tokens"] == ["c", "b"]
    assert check_code(lab, "words/neighbors", word="a", k=1).meta["tokens"] == ["c"]
    assert check_code(lab, "words/neighbors", word="zero", metric="euclidean").meta["tokens"] == ["a", "c", "b"]


def test_default_words_have_neighbors(small_lab, ask) -> None:
    lab = small_lab(["sin", "a", "b"], np.array([[np.nan, 1], [1, 2], [2, 1]]))
    assert ask(lab, "words/neighbors").meta["word"] == "a"
    assert ask(lab, "words/rows").meta["words"] == ["a", "b"]


def test_word_computed_from_n_grams_has_a_row_and_neighbors(ask) -> None:
    own = np.eye(2, 4, dtype=np.float32)
    subwords = Subwords(np.ones((1, 4), np.float32), own, np.zeros(10, np.int32))
    lab = Lab(rs.Table(["sin", "cos"], own, subwords=subwords), "my-table")
    reply = ask(lab, "words/rows", word=["sine", "sin"])
    np.testing.assert_array_equal(reply.arrays["rows"][0], np.ones(4))
    assert reply.arrays["ids"].tolist() == [-1, 0]
    assert len(ask(lab, "words/neighbors", word="sine").meta["tokens"]) == 2

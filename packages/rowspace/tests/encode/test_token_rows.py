"""The rows behind a vector: their mean is the vector, and their shares add up to the cosine that SciPy computes."""

import numpy as np
import pytest
from scipy.spatial.distance import cosine

from rowspace.encode import Encoder, cosine_shares
from rowspace.errors import UsageError
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table
from rowspace.text import whitespace_json

from .conftest import TEXTS, WORDS

OPTIONS = [
    {},
    {"pooling": "sif"},
    {"pooling": "sum", "dim": 7},
    {"mode": "model2vec", "max_tokens": 5},
    {"mode": "sentence-transformers", "normalize": False},
]


@pytest.fixture
def subword_table():
    """A table whose unseen words get the rows of their n-grams, and which splits texts at white space."""
    chance = np.random.default_rng(1)
    places = np.arange(50, dtype=np.int32)
    subwords = Subwords(chance.standard_normal((50, 6)), chance.standard_normal((2, 6)), places, 2, 3)
    return Table(["the", "cat"], chance.standard_normal((2, 6)), subwords=subwords)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_add_up_to_the_vector(table, options) -> None:
    encoder = Encoder(table, **options)
    for text in TEXTS:
        rows = encoder.token_rows(text).rows
        whole = rows.sum(axis=0) if encoder.options.pooling == "sum" or not len(rows) else rows.mean(axis=0)
        np.testing.assert_allclose(whole, encoder.encode(text), atol=1e-5, err_msg=text[:40])


def test_rows_of_unseen_words_are_those_of_their_ngrams(subword_table) -> None:
    encoder = Encoder(subword_table)
    text = "the dog\tcat \ud800"
    found = encoder.token_rows(text)
    assert [text[begin:end] for begin, end in found.spans] == ["the", "dog", "cat", "\ud800"]
    np.testing.assert_allclose(found.rows.mean(axis=0), encoder.encode(text), atol=1e-6)


def test_spans_are_those_of_the_used_tokens(table) -> None:
    def tokens(text, **options):
        spans = Encoder(table, **options).token_rows(text).spans
        return [text[begin:end] for begin, end in spans]

    assert tokens("The ☃ cats 한국 sit.") == ["The", "cats", "한국", "s", "i", "t", "."]  # ☃ has no row
    assert tokens("the 😀 cat", mode="sentence-transformers") == ["the", "😀", "cat"]  # keeps the unknown token
    assert tokens("the cat sat", max_tokens=2) == ["the", "cat"]
    assert tokens("") == []


def test_truncation_from_the_left_keeps_the_last_tokens(wordpiece, rows) -> None:
    tokenizer = wordpiece()
    tokenizer.enable_truncation(2, direction="left")
    encoder = Encoder(Table(WORDS, rows, tokenizer=tokenizer.to_str()), mode="sentence-transformers")
    found = encoder.token_rows("the cat sat")
    assert found.spans.tolist() == [[4, 7], [8, 11]]
    np.testing.assert_allclose(found.rows.mean(axis=0), encoder.encode("the cat sat"), atol=1e-6)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_shares_add_up_to_the_cosine(table, options) -> None:
    encoder = Encoder(table, **options)
    query = encoder.encode("cats sat")
    for text in TEXTS:
        rows, vector = encoder.token_rows(text).rows, encoder.encode(text)
        expected = 1 - cosine(query, vector) if vector.any() else 0
        assert cosine_shares(query, rows).sum() == pytest.approx(expected, abs=1e-5), text[:40]


def test_shares_without_a_direction_are_zeros() -> None:
    rows = np.array([[1.0, 2.0], [-1.0, -2.0]])
    assert cosine_shares(np.ones(2), rows).tolist() == [0, 0]
    assert cosine_shares(np.zeros(2), rows[:1]).tolist() == [0]
    assert cosine_shares(np.array([np.nan, 1]), rows[:1]).tolist() == [0]
    assert cosine_shares(np.ones(2), np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("pooling", ["first", "max"])
def test_poolings_without_shares_are_refused(pooling) -> None:
    table = Table(["a"], np.ones((1, 2)), tokenizer=whitespace_json(["a"]))
    with pytest.raises(UsageError, match=f"token_rows needs pooling mean, sif, sum, not '{pooling}'"):
        Encoder(table, pooling=pooling).token_rows("a")

"""N-grams and buckets against fastText's, and the rows of out-of-vocabulary words."""

import fasttext
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from rowspace.errors import UsageError
from rowspace.subwords.composition import list_ngrams
from rowspace.subwords.hashing import NO_ROW, PRUNED_BUCKET, SparsePlaces, Subwords, ngram_buckets, ngrams

pytestmark = pytest.mark.kernels

WORDS = ["at", "banana", "straße", "日本語テキスト", "é", "😀x", "don't", "ab" * 40]


@pytest.fixture(scope="module", params=[(3, 6), (1, 3), (2, 2), (1, 1)], ids=str)
def model(request, tmp_path_factory):
    """A model of the fastText library."""
    text = tmp_path_factory.mktemp("fasttext") / "text"
    text.write_text("some words to learn\n" * 5)
    least, most = request.param
    return fasttext.train_unsupervised(str(text), minn=least, maxn=most, bucket=997, dim=2, minCount=1, verbose=0)


@pytest.mark.parametrize("word", WORDS)
def test_ngrams_and_buckets_match_fasttext(model, word):
    # Parity with fastText 0.9.3. It lists a word of its vocabulary before its n-grams; these words are not in it.
    theirs, places = model.get_subwords(word)
    sizes = {"min_n": model.f.getArgs().minn, "max_n": model.f.getArgs().maxn}
    assert ngrams(word, **sizes) == theirs
    assert ngram_buckets(word, **sizes, buckets=997).tolist() == (places - len(model.words)).tolist()


@example(["</s>", "a", "</s>"], 1, 0)
@given(st.lists(st.text(max_size=8), max_size=4), st.integers(1, 4), st.integers(0, 3))
def test_list_ngrams_matches_ngram_buckets(words, least, more):
    words = [word.encode("utf-8", "ignore").decode() for word in words]
    with np.errstate(over="ignore"):
        listed = list_ngrams(words, min_n=least, max_n=least + more, buckets=2_000_003)
    for word, start, end in zip(words, listed.indptr[:-1], listed.indptr[1:], strict=True):
        one = ngram_buckets(word, min_n=least, max_n=least + more, buckets=2_000_003)
        assert listed.indices[start:end].tolist() == one.tolist()


def subwords(places, **sizes):
    rows = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)
    return Subwords(rows, np.zeros((0, 2), np.float32), np.asarray(places, np.int32), **sizes)


def test_end_of_sentence_has_no_ngrams(model):
    assert ngrams("</s>", min_n=3, max_n=6) == []
    assert model.get_subwords("</s>")[0] in ([], ["</s>"])


def test_unseen_word_gets_the_mean_of_its_ngram_rows():
    buckets = ngram_buckets("at", buckets=50).tolist()
    places = np.full(50, NO_ROW)
    places[buckets] = 0, 1, 2
    assert subwords(places).row("at").tolist() == [3, 4]


@pytest.mark.parametrize(("absent", "row"), [(NO_ROW, [4 / 3, 2]), (PRUNED_BUCKET, [2, 3])])
def test_missing_bucket_counts_as_zeros_and_pruned_bucket_is_skipped(absent, row):
    places = np.full(50, NO_ROW)
    places[ngram_buckets("at", buckets=50)] = 0, absent, 1
    np.testing.assert_allclose(subwords(places).row("at"), row, rtol=1e-6)


@pytest.mark.parametrize("word", ["at", ""])
def test_word_without_ngram_rows_has_no_row(word):
    assert subwords(np.full(50, NO_ROW)).row(word) is None


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"min_n": 0}, "n-grams must have 1 or more characters, not 0 to 6"),
        ({"min_n": 4, "max_n": 3}, "n-grams must have 1 or more characters, not 4 to 3"),
        ({"places": [3]}, "places range from 3 to 3, but the n-grams have 3 rows"),
        ({"places": [-3, 0]}, "places range from -3 to 0"),
        ({"places": []}, "places must have one entry per bucket"),
    ],
)
def test_inconsistent_arguments_raise(change, complaint):
    with pytest.raises(UsageError, match=complaint):
        subwords(**{"places": [0], **change})


def test_rows_of_different_dimensions_raise():
    with pytest.raises(UsageError, match=r"the same dimension, got \(3, 2\) and \(1, 5\)"):
        Subwords(np.ones((3, 2)), np.ones((1, 5)), np.zeros(4, np.int32))


@pytest.mark.parametrize(
    ("buckets", "places", "message"),
    [
        ([1, 2], [0], r"of the same length, got \(1,\) and \(2,\)"),
        ([[1, 2]], [[0, 1]], "of the same length"),
        ([2, 1], [0, 1], "strictly increasing numbers from 0 to 4"),
        ([1, 1], [0, 1], "strictly increasing"),
        ([-1, 1], [0, 1], "strictly increasing"),
        ([1, 5], [0, 1], "strictly increasing"),
    ],
)
def test_invalid_sparse_places_raise(buckets, places, message) -> None:
    with pytest.raises(UsageError, match=message):
        SparsePlaces(np.array(buckets, np.int32), np.array(places, np.int32), 5)

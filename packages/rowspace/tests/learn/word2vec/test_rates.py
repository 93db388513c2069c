"""The default learning rate is lowered only if the fit would diverge; an explicit rate never is."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec import rates
from rowspace.learn.word2vec.allocation import list_used
from rowspace.text import IdCorpus, TextOptions, encode_corpus


@pytest.fixture(scope="module")
def corpus(english, tmp_path_factory):
    text = english.read_text()[:100_000].replace("\n", " ")  # one long line
    return encode_corpus([text], tmp_path_factory.mktemp("ids"), options=TextOptions())


def rate(corpus, **options):
    options = FitOptions(**options)
    ngrams = list_used(corpus.vocabulary, corpus.counts, options)
    return rates.stable_options(options, corpus, ngrams).learning_rates


def test_safe_default_and_explicit_rates_are_unchanged(corpus):
    for options in ({}, {"model": "cbow"}, {"subwords": True}, {"model": "cbow", "subwords": True}, {"window": 10},
                    {"model": "cbow", "window": 100}, {"model": "cbow", "cbow_gradient": "word2vec"},
                    {"model": "cbow", "cbow_mean": False}, {"negatives": 50}, {"alpha": 9.0, "window": 900},
                    {"alpha": 0.035, "subwords": True, "buckets": 1}):  # fmt: skip
        assert rate(corpus, **options) == FitOptions(**options).learning_rates, options


def test_stronger_windows_lower_the_default_rate_more(corpus):
    for strong, stronger in (
        ({"window": 100, "shrink_windows": False}, {"window": 400, "shrink_windows": False}),
        ({"model": "cbow", "cbow_mean": False, "window": 50}, {"model": "cbow", "cbow_mean": False, "window": 100}),
        ({"subwords": True, "buckets": 3}, {"subwords": True, "buckets": 1}),
        (
            {"model": "cbow", "subwords": True, "buckets": 1},
            {"model": "cbow", "subwords": True, "buckets": 1, "window": 9},
        ),
    ):
        default = FitOptions(**strong).learning_rates[0]
        assert rate(corpus, **stronger)[0] < rate(corpus, **strong)[0] < default / 2, strong
        assert rate(corpus, **strong)[1] == pytest.approx(0.3 * rate(corpus, **strong)[0])


def test_window_wider_than_the_sentences_does_not_lower_the_rate(tmp_path):
    corpus = encode_corpus(["some words that are few"] * 500, tmp_path, options=TextOptions(min_count=1))
    assert rate(corpus, window=1000, shrink_windows=False, sample=0)[0] == 0.035


def test_explicit_min_alpha_is_kept_and_is_a_lower_bound_of_alpha(corpus):
    wide = {"window": 400, "shrink_windows": False}
    assert rate(corpus, min_alpha=0.0, **wide)[1] == 0.0
    assert rate(corpus, min_alpha=0.03, **wide) == (0.03, 0.03)


@pytest.mark.parametrize("shrink", [True, False])
def test_estimated_neighbors_equal_those_of_actual_windows(tmp_path, shrink):
    lengths = [2, 3, 7, 40]
    ids = np.concatenate([[0] * length + [-1] for length in lengths]).astype("<i4")
    ids.tofile(tmp_path / "ids.bin")
    corpus = IdCorpus(tmp_path / "ids.bin", len(ids), ["a"], np.array([sum(lengths)]), sum(lengths), 0, "{}")
    options = FitOptions(window=5, shrink_windows=shrink)
    counted = [
        (min(place, reach) + min(length - 1 - place, reach), length)
        for reach in (range(1, 6) if shrink else [5]) for length in lengths for place in range(length)
    ]  # fmt: skip
    found = rates._neighbors(options, rates._sentence_lengths(corpus, np.ones(1)))
    # A mean over neighbors. The estimate ignores that windows at the ends of a sentence are smaller.
    assert found == pytest.approx(sum(c * c for c, _ in counted) / sum(c for c, _ in counted), rel=0.1)
    assert found < rates._widest(options) + 1e-9


def test_shared_update_is_the_mean_overlap_of_ngrams():
    options = FitOptions(subwords=True, buckets=7, min_n=2, max_n=3)
    words, used = ["ab", "abc", "bcab", "x"], np.array([4.0, 3.0, 2.0, 1.0])
    ngrams = list_used(words, used, options)
    parts = [np.bincount(ngrams.indices[first:end], minlength=len(ngrams.buckets))
             for first, end in zip(ngrams.indptr, ngrams.indptr[1:], strict=False)]  # fmt: skip
    share, expected = used / used.sum(), 0.0
    for i, mine in enumerate(parts):
        for j, theirs in enumerate(parts):
            expected += share[i] * share[j] * ((i == j) + mine @ theirs) / (1 + theirs.sum())
    assert rates._shared(used, ngrams) == pytest.approx(expected)

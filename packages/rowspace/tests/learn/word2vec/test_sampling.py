"""The alias table reproduces its distribution, and keep probabilities equal gensim's."""

import numpy as np
import pytest
from gensim.models import Word2Vec
from hypothesis import given, strategies as st

from rowspace.learn.word2vec.sampling import alias_table, keep_probabilities, make_sampler


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=50))
def test_alias_table_reproduces_the_weights(weights):
    weights = np.array(weights)
    threshold, alias = alias_table(weights)
    share = threshold.copy()
    np.add.at(share, alias, 1 - threshold)
    np.testing.assert_allclose(share / len(weights), weights / weights.sum(), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("sample", [1e-3, 1e-2, 0.5])
def test_keep_probabilities_equal_gensims(sample):
    texts = [["a"] * 700 + ["b"] * 200 + ["c"] * 90 + ["d"] * 10]
    model = Word2Vec(min_count=1, sample=sample)  # the reference
    model.build_vocab(texts)
    theirs = [model.wv.get_vecattr(word, "sample_int") for word in "abcd"]
    ours = make_sampler(np.array([700, 200, 90, 10]), sample=sample, ns_exponent=0.75).keep
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_no_sampling_keeps_every_word():
    assert keep_probabilities(np.array([5, 1]), sample=0).tolist() == [1, 1]


def test_sampler_slots_reproduce_the_smoothed_counts():
    counts = np.array([1000, 300, 100, 30, 10])
    slots = make_sampler(counts, sample=0, ns_exponent=0.75).slots
    share = np.zeros(5)
    np.add.at(share, slots[:, 1], slots[:, 0] / (2**32 - 1) / 5)
    np.add.at(share, slots[:, 2], (1 - slots[:, 0] / (2**32 - 1)) / 5)
    np.testing.assert_allclose(share, counts**0.75 / (counts**0.75).sum(), rtol=1e-6)

"""Weights, compared with model2vec's."""

import numpy as np

from rowspace.encode.pooling import shares_of_counts, sif_weights
from rowspace.learn.distillation.distill import probabilities_of_ranks


def test_weights_of_ranks_are_those_of_model2vec(peer, assert_close):
    for size, a in [(1, 1e-4), (7, 1e-3), (1000, 1e-4)]:
        assert_close(sif_weights(probabilities_of_ranks(size), a), peer.compute_weights(size, a))


def test_zero_gives_no_weights(peer):
    np.testing.assert_array_equal(sif_weights(probabilities_of_ranks(5), 0.0), peer.compute_weights(5, None))


def test_weights_of_counts():
    weights = sif_weights(shares_of_counts(np.array([8, 2, 0])), 0.2)
    np.testing.assert_allclose(weights, [0.2, 0.5, 1.0])
    np.testing.assert_array_equal(shares_of_counts(np.zeros(2, np.int64)), [0, 0])

"""Scores, steps and exponentials of the outputs of labels equal those of NumPy, in blocks and beside them."""

import numpy as np
import pytest
from hypothesis import given, strategies

from rowspace.learn.classifier.rows.kernels.train import AT_ONCE, exponentiate, move_all, score_all

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("labels", [1, 3, 4, 9])
@pytest.mark.parametrize("width", [16, 48])
def test_scores_and_steps_equal_numpy(labels, width):
    generator = np.random.default_rng(labels)
    outputs, hidden, gradient, steps = (
        generator.normal(size=size).astype(np.float32)
        for size in ((labels, width), (AT_ONCE, width), (AT_ONCE, width), (AT_ONCE, labels))
    )
    wanted = outputs + steps.T @ hidden, gradient + steps @ outputs
    scores, greatest = np.empty((AT_ONCE, labels), np.float32), np.empty(AT_ONCE, np.float32)
    score_all(outputs, hidden, scores, greatest)
    np.testing.assert_allclose(scores, hidden @ outputs.T, rtol=1e-5, atol=1e-5)
    assert greatest.tolist() == scores.max(axis=1).tolist()
    move_all(outputs, steps, hidden, gradient)
    np.testing.assert_allclose(outputs, wanted[0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-5, atol=1e-5)


@given(strategies.lists(strategies.floats(-87, 88, width=32), min_size=1, max_size=70))
def test_exponentials_equal_numpy(given_values):
    values = np.array(given_values, np.float32)
    wanted = np.exp(values.astype(float))
    exponentiate(values)
    np.testing.assert_allclose(values, wanted, rtol=1e-5)


def test_exponentials_are_bounded_and_nan_stays():
    values = np.array([0, -np.inf, -1e30, 1e30, np.inf, np.nan], np.float32)
    exponentiate(values)
    np.testing.assert_allclose(values, np.exp([0, -87, -87, 88, 88, np.nan]), rtol=1e-5)

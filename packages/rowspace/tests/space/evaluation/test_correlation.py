"""Pearson and Spearman correlation with p-values, compared with scipy.stats."""

import math

import numpy as np
import pytest
from scipy import stats

from rowspace.errors import UsageError
from rowspace.space import pearson, spearman

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("n", [3, 4, 10, 353, 5000])
@pytest.mark.parametrize("strength", [0.0, 0.05, 1.0, 30.0])
@pytest.mark.parametrize("sign", [-1, 1])
def test_equals_scipy(n, strength, sign):
    x = RNG.standard_normal(n)
    y = sign * strength * x + RNG.standard_normal(n)
    for ours, peer in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        found, expected = ours(x, y), peer(x, y)
        assert found.r == pytest.approx(expected.statistic, abs=1e-12)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-15)


def test_tied_values_get_their_average_rank():
    x, y = RNG.integers(0, 4, 50), RNG.integers(0, 3, 50)
    assert spearman(x, y).r == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


def test_two_points_have_p_value_one():
    assert pearson([1, 2], [5, 3]) == pytest.approx((-1.0, 1.0))


def test_perfect_correlation_has_p_value_zero():
    assert spearman([1, 2, 3], [10, 20, 30]) == (1.0, 0.0)


def test_correlation_with_a_constant_is_nan():
    assert all(math.isnan(value) for value in pearson([1, 1, 1], [1, 2, 3]) + spearman([1, 2, 3], [4, 4, 4]))


@pytest.mark.parametrize(("x", "y"), [([1], [1]), ([1, 2], [1, 2, 3]), ([[1, 2]], [[1, 2]])])
def test_unequal_or_too_short_inputs_are_refused(x, y):
    with pytest.raises(UsageError, match="the same length, at least 2"):
        pearson(x, y)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_values_that_are_not_finite_give_the_nan_of_scipy(value):
    x, y = [1, 2, 3, value], [4, 3, 1, 2]
    for ours, peer in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        with np.errstate(invalid="ignore"):
            expected = peer(x, y)
        np.testing.assert_allclose(ours(x, y), (expected.statistic, expected.pvalue), err_msg=ours.__name__)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 5e307])
def test_largest_and_smallest_numbers_are_correlated(size):
    assert pearson([size, 2 * size, 3 * size], [3, 2, 1]) == pytest.approx((-1.0, 0.0), abs=1e-6)

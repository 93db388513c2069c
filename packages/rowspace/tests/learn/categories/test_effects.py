"""Effects of categories, compared with scikit-learn's target encoder and ridge regression."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.linear_model import Ridge
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

from rowspace.learn.categories.effects import axes, effects, partial_effects, priors, shape_targets


@given(st.integers(2, 60), st.integers(1, 9), st.floats(0.1, 50), st.integers(0, 2**32 - 1))
def test_effects_with_a_given_prior_equal_the_target_encoders(examples, size, smooth, seed):
    generator = np.random.default_rng(seed)
    codes, target = generator.integers(0, size, examples), generator.normal(3, 2, examples)
    found = effects(codes, (target - target.mean())[:, None], size, smooth=smooth)[:, 0]
    encoder = TargetEncoder(target_type="continuous", smooth=smooth).fit(codes[:, None], target)
    np.testing.assert_allclose(found[np.unique(codes)] + target.mean(), encoder.encodings_[0], atol=1e-9)
    assert not found[~np.isin(np.arange(size), codes)].any()


def test_partial_effects_equal_ridge_regression_on_one_hot_columns():
    generator = np.random.default_rng(0)
    codes = np.stack([generator.integers(0, 12, 300), generator.integers(0, 7, 300), generator.integers(0, 3, 300)], 1)
    codes[:, 1] = (codes[:, 1] + codes[:, 0]) % 7  # columns that depend on each other
    target = generator.normal(size=12)[codes[:, 0]] + generator.normal(size=7)[codes[:, 1]] + generator.normal(size=300)
    target -= target.mean()
    found = partial_effects(list(codes.T), target, [12, 7, 3], smooth=2.5)
    model = Ridge(alpha=2.5, fit_intercept=False).fit(OneHotEncoder().fit_transform(codes), target)
    for one, other in zip(found, np.split(model.coef_, [12, 19]), strict=True):
        np.testing.assert_allclose(one - one.mean(), other - other.mean(), atol=2e-3)
    fitted = sum(one[ids] for one, ids in zip(found, codes.T, strict=True))
    np.testing.assert_allclose(fitted, model.predict(OneHotEncoder().fit_transform(codes)), atol=2e-3)


@pytest.mark.parametrize("deviation", [0.4, 1.0, 5.0])
def test_the_estimated_prior_is_the_best_one(deviation):
    generator = np.random.default_rng(1)
    codes = (1000 * generator.random(20_000) ** 2).astype(int)  # many rare categories
    truth = generator.normal(0, deviation, 1000)
    target = truth[codes] + generator.normal(0, 2, 20_000)
    target -= target.mean()
    estimated = priors(codes, target[:, None], 1000)[0]
    assert estimated == pytest.approx(4 / deviation**2, rel=0.3)
    errors = [
        ((effects(codes, target[:, None], 1000, smooth=smooth)[:, 0] - truth)[np.unique(codes)] ** 2).mean()
        for smooth in (estimated, estimated * 4, estimated / 4)
    ]
    assert errors[0] == min(errors)


def test_categories_that_do_not_differ_are_shrunk_to_zero():
    generator = np.random.default_rng(2)
    codes, target = generator.integers(0, 500, 3000), generator.normal(size=(3000, 1))
    target -= target.mean()
    assert np.abs(effects(codes, target, 500)).max() < 0.1
    assert not effects(np.zeros(9, int), target[:9] - target[:9].mean(), 1).round(6).any()
    np.testing.assert_allclose(effects(np.arange(9), target[:9], 9), target[:9] / 2)  # each occurs once: a prior of 1


def test_shape_targets_have_nothing_of_the_mean():
    target = np.random.default_rng(3).gamma(2, size=1000)
    target = (target - target.mean()) / target.std()
    found = shape_targets(target)
    assert found.shape == (1000, 10)
    np.testing.assert_allclose(found.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(target @ found, 0, atol=1e-9)
    assert shape_targets(np.repeat([-0.5, 0.5], 50)).shape == (100, 2)  # as many intervals as different values


def test_axes_are_the_principal_directions_with_weights():
    generator = np.random.default_rng(4)
    found, counts = generator.normal(size=(30, 5)) * [5, 3, 1, 0, 0], generator.integers(1, 9, 30)
    repeated = np.repeat(found, counts, axis=0)
    _, vectors = np.linalg.eigh(repeated.T @ repeated)
    expected = axes(found, counts, 2)
    for axis, vector in zip(expected, vectors.T[::-1], strict=False):
        assert abs(axis @ vector) == pytest.approx(1)
        assert axis[np.abs(axis).argmax()] > 0
    assert axes(found, counts, 5).shape == (3, 5)
    assert axes(found * 0, counts, 5).shape == (1, 5)

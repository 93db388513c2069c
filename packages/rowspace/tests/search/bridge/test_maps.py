"""Maps equal those of SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from sklearn.linear_model import Ridge

from rowspace.search.bridge import maps
from rowspace.search.bridge.maps import VectorMap, learn_maps


@pytest.fixture
def pairs():
    generator = np.random.default_rng(0)
    new = generator.normal(size=(300, 8)).astype(np.float32)
    return new, (new @ generator.normal(size=(8, 5)) + 0.1 * generator.normal(size=(300, 5)) + 1).astype(np.float32)


def test_orthogonal_map_equals_scipys_with_scaled_columns(pairs):
    new = pairs[0]
    old = new[:, ::-1] * np.linspace(0.5, 2, 8, dtype=np.float32)
    [(kind, found)] = learn_maps(new, old, "orthogonal")
    rotation, _ = orthogonal_procrustes(new.astype(float), old.astype(float))
    turned = new @ rotation
    scales = [np.linalg.lstsq(turned[:, [column]], old[:, column])[0].item() for column in range(8)]
    np.testing.assert_allclose(found.weight, rotation * scales, atol=1e-5)
    assert (kind, found.dims) == ("orthogonal", (8, 8))


def test_linear_maps_equal_ridge_of_sklearn(pairs):
    new, old = pairs
    centered = new - new.mean(axis=0, dtype=float)
    for penalty, (kind, found) in zip(maps._PENALTIES, learn_maps(new, old, "linear"), strict=True):
        alpha = penalty * np.trace(centered.T @ centered) / 8
        expected = Ridge(alpha=alpha).fit(new.astype(float), old).predict(new.astype(float))
        np.testing.assert_allclose(found.apply(new), expected, atol=1e-4)
        assert kind == "linear"


def test_low_rank_map_has_that_rank_and_the_least_error():
    generator = np.random.default_rng(1)
    new = generator.normal(size=(500, 100)).astype(np.float32)
    full = generator.normal(size=(100, 90))
    old = (new @ full).astype(np.float32)
    found = dict(learn_maps(new, old, "low-rank"))["low-rank"]
    assert np.linalg.matrix_rank(found.weight, tol=1e-3) == 64
    shuffled = full @ np.linalg.svd(full)[2][-64:].T @ np.linalg.svd(full)[2][-64:]
    assert np.square(found.apply(new) - old).sum() < np.square(new @ shuffled - old).sum()


def test_mlp_learns_what_a_linear_map_cannot(pairs):
    new, old = pairs
    curved = old + np.abs(new[:, :5]) * 2
    [(_, found)] = learn_maps(new, curved, "mlp")
    linear = list(learn_maps(new, curved, "linear"))[1][1]
    np.testing.assert_array_equal(found.weight, linear.weight)
    assert found.hidden_weight.shape == (8, 256)
    assert np.square(found.apply(new) - curved).sum() < 0.5 * np.square(linear.apply(new) - curved).sum()


def test_auto_yields_each_kind(pairs):
    assert {kind for kind, _ in learn_maps(*pairs, "auto")} == {"orthogonal", "linear", "mlp"}  # 8 columns: no low rank


def test_tensors_that_are_no_map_are_refused():
    weight, bias = np.eye(3, 2, dtype=np.float32), np.zeros(2, np.float32)
    assert VectorMap.of({"weight": weight, "bias": bias}).dims == (3, 2)
    for tensors in (
        {"weight": weight},
        {"weight": weight, "bias": bias, "more": bias},
        {"weight": weight, "bias": np.zeros(3, np.float32)},
        {"weight": weight.astype(np.float64), "bias": bias},
        {"weight": weight * np.nan, "bias": bias},
        {"weight": bias, "bias": bias},
        {"weight": weight, "bias": bias, "hidden_weight": weight, "hidden_bias": bias, "output_weight": weight},
    ):
        with pytest.raises(ValueError, match="expected"):
            VectorMap.of(tensors)

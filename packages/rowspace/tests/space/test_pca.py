"""`pca`, compared with scikit-learn's, also in several blocks, and on edge cases."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from rowspace.errors import UsageError
from rowspace.space import pca
from rowspace.space.similarity import BLOCK_BYTES


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(300, 7), (5, 20), (2, 2)])
def test_agrees_with_scikit_learn(dtype, shape) -> None:
    rows = (np.random.default_rng(0).normal(2, 3, shape) * np.geomspace(1, 9, shape[1])).astype(dtype)
    peer = PCA(2, svd_solver="full").fit(rows.astype(np.float64))
    found = pca(rows)
    expected = peer.transform(rows.astype(np.float64))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.share, peer.explained_variance_ratio_, atol=1e-12)
    # Two rows leave no variance for the last direction, so it is arbitrary.
    sure = found.share > 1e-12
    np.testing.assert_allclose(found.components[sure], peer.components_[sure], atol=1e-9)
    np.testing.assert_allclose(found.positions, expected, atol=1e-6 * scale)
    np.testing.assert_allclose(found.mean, peer.mean_)


def test_rows_of_several_blocks_agree_with_scikit_learn() -> None:
    rows = np.random.default_rng(1).normal(2, np.geomspace(1, 9, 64), (40_000, 64))
    assert rows.nbytes > 2 * BLOCK_BYTES
    peer = PCA(3, svd_solver="covariance_eigh").fit(rows)
    found = pca(rows, 3)
    np.testing.assert_allclose(found.components, peer.components_, atol=1e-9)
    np.testing.assert_allclose(found.positions, peer.transform(rows), atol=1e-4)
    np.testing.assert_allclose(found.mean, peer.mean_)


def test_non_finite_rows_are_excluded() -> None:
    rows = np.random.default_rng(2).normal(size=(50, 4))
    broken = np.insert(rows, [0, 7], [[np.nan, 1, 1, 1], [np.inf, 0, 0, 0]], axis=0)
    found = pca(broken)
    assert np.flatnonzero(np.isnan(found.positions).any(1)).tolist() == [0, 8]
    np.testing.assert_array_equal(np.delete(found.positions, [0, 8], 0), pca(rows).positions)


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.ones((9, 3)), np.zeros((4, 2), np.float32)])
def test_equal_rows_share_one_position(rows) -> None:
    found = pca(rows)
    assert found.share.tolist() == [0, 0]
    assert np.ptp(found.positions, axis=0).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("rows", "k", "message"),
    [
        (np.ones((3, 2)), 3, "k must be from 1 to the width of the rows, 2, got 3"),
        (np.ones((3, 2)), 0, "k must be from 1"),
        (np.ones(3), 1, "must be a .V, d. array"),
        (np.ones((3, 2), int), 1, "array of floats"),
        (np.full((3, 2), np.nan), 1, "every row has NaN or infinity"),
    ],
)
def test_invalid_arguments_are_refused(rows, k: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        pca(rows, k)

"""Rotations, compared with SciPy's."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from scipy.stats import ortho_group

from rowspace import space
from rowspace.errors import UsageError


@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_rotation_equals_scipys(pairs, dim, seed):
    generator = np.random.default_rng(seed)
    rows, to = generator.normal(size=(2, pairs, dim))
    found = space.align(rows, to)
    expected, _ = orthogonal_procrustes(rows, to)
    np.testing.assert_allclose(found.rotation @ found.rotation.T, np.eye(dim), atol=1e-12)
    # With fewer pairs than columns other rotations are as good.
    np.testing.assert_allclose(found.apply(rows), rows @ expected, atol=1e-9)
    np.testing.assert_allclose(found.error, ((rows @ expected - to) ** 2).sum() / (to**2).sum(), atol=1e-12)
    if pairs >= dim:
        np.testing.assert_allclose(found.rotation, expected, atol=1e-6)


def test_centering_and_scaling_equal_scipys():
    rows, to = np.random.default_rng(0).normal(2, 3, size=(2, 40, 5))
    found = space.align(rows, to, center=True, scale=True)
    # SciPy standardizes the second argument, then maps the first one to it.
    standard, mapped, disparity = procrustes(to, rows)
    length = np.linalg.norm(to - to.mean(0))
    np.testing.assert_allclose((found.apply(rows) - to.mean(0)) / length, mapped, atol=1e-12)
    np.testing.assert_allclose((to - to.mean(0)) / length, standard, atol=1e-12)
    np.testing.assert_allclose(found.error, disparity, atol=1e-12)
    assert not found.is_linear
    assert space.align(rows, to, scale=True).is_linear


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_rotated_copy_is_mapped_back(dtype, assert_close):
    rows = np.random.default_rng(1).normal(size=(200, 16)).astype(dtype)
    rotation = ortho_group.rvs(16, random_state=0)
    turned = (rows @ rotation * 3 + 1).astype(dtype)
    found = space.align(turned, rows, center=True, scale=True)
    back = found.apply(turned)
    assert back.dtype == dtype
    assert_close(back, rows, slack=10)
    assert_close(found.rotation, rotation.T.astype(dtype), slack=10)
    assert found.scale == pytest.approx(1 / 3, rel=1e-2)


def test_whole_numbers_are_mapped_to_float64():
    rows = np.random.default_rng(3).integers(-2, 3, (20, 3))
    found = space.align(rows, rows @ ortho_group.rvs(3, random_state=0))
    mapped = found.apply(rows)
    assert mapped.dtype == np.float64
    np.testing.assert_array_equal(mapped, found.apply(rows.astype(float)))


def test_only_a_row_with_nan_becomes_nan():
    rows = np.random.default_rng(2).normal(size=(6, 3))
    found = space.align(rows, rows)
    rows[2, 1], rows[4, 0] = np.nan, np.inf
    mapped = found.apply(rows)
    assert np.isnan(mapped[2]).all()
    assert not np.isfinite(mapped[4]).all()
    np.testing.assert_allclose(mapped[[0, 1, 3, 5]], rows[[0, 1, 3, 5]])


def test_zeros_are_mapped_to_zeros():
    found = space.align(np.zeros((3, 2)), np.zeros((3, 2)), scale=True)
    assert found.scale == 1
    assert np.isnan(found.error)
    assert found.apply(np.zeros((1, 2))).tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("rows", "to", "message"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), "rows are 3 wide and to is 4 wide, .* reduce the wider one"),
        (np.ones((2, 3)), np.ones((1, 3)), "one row of each for each pair, got"),
        (np.ones((0, 3)), np.ones((0, 3)), "no pair of rows; give at least one"),
        (np.ones((2, 3)), np.full((2, 3), np.nan), "to must be finite, but row 0 has NaN"),
    ],
)
def test_wrong_input_is_refused(rows, to, message):
    with pytest.raises(UsageError, match=message):
        space.align(rows, to)
    with pytest.raises(UsageError, match=r"rows must be \(n, 3\)"):
        space.align(np.eye(3), np.eye(3)).apply(np.ones((1, 2)))

"""Merging of rows, compared with SciPy's rotations and plain NumPy."""

import numpy as np
from hypothesis import given, strategies as st
from scipy.spatial import geometric_slerp

from rowspace.learn.merging.merge import average, slerp, task

BOTH = np.ones((2, 1), bool)


@given(st.floats(0, 1), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_slerp_equals_scipys_with_lengths_between(share, dim, seed):
    rows = np.random.default_rng(seed).normal(size=(2, 1, dim))
    found = slerp(rows, BOTH, np.array([1 - share, share]))[0]
    lengths = np.linalg.norm(rows[:, 0], axis=1)
    expected = geometric_slerp(rows[0, 0] / lengths[0], rows[1, 0] / lengths[1], share)
    np.testing.assert_allclose(found, expected * (lengths @ [1 - share, share]), atol=1e-9)


def test_slerp_averages_where_no_great_circle_is_determined():
    row = np.array([3.0, 4.0])
    for other, expected in ((row * 2, row * 1.5), (-row, row * 0), (row * 0, row), (row * (1 + 1e-9), row)):
        has = np.array([[True], [bool(other.any())]])
        found = slerp(np.stack([[row], [other]]), has, np.array([0.5, 0.5]))
        np.testing.assert_allclose(found[0], expected, atol=1e-7)


def test_slerp_is_accurate_at_small_angles():
    for angle in (1e-5, 1e-3, np.pi - 1e-3):
        rows = np.array([[[1.0, 0.0]], [[np.cos(angle), np.sin(angle)]]])
        found = slerp(rows, BOTH, np.array([0.25, 0.75]))[0]
        np.testing.assert_allclose(found, [np.cos(0.75 * angle), np.sin(0.75 * angle)], atol=1e-11)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_average_is_the_weighted_mean_of_those_that_have_the_token(tables, seed):
    generator = np.random.default_rng(seed)
    rows, has, weights = generator.normal(size=(tables, 6, 3)), generator.random((tables, 6)) < 0.7, np.ones(tables)
    weights = generator.random(tables)
    found = average(rows, has, weights)
    for token in range(6):
        used = has[:, token]
        expected = np.average(rows[used, token], axis=0, weights=weights[used]) if used.any() else np.zeros(3)
        np.testing.assert_allclose(found[token], expected, atol=1e-12)


def test_average_of_tables_without_weight_is_that_of_those_that_have_the_token():
    rows = np.array([[[1.0]], [[3.0]], [[9.0]]])
    assert average(rows, np.array([[True], [True], [False]]), np.array([0.0, 0.0, 1.0])).tolist() == [[2.0]]


def test_task_adds_the_differences_of_those_that_have_the_token():
    generator = np.random.default_rng(0)
    rows, base = generator.normal(size=(2, 3, 4)), generator.normal(size=(3, 4))
    has = np.array([[True, True, True], [True, False, True]])
    found = task(rows, has, np.array([0.7, -0.4]), base, np.array([True, True, False]))
    np.testing.assert_allclose(found[0], base[0] + 0.7 * (rows[0, 0] - base[0]) - 0.4 * (rows[1, 0] - base[0]))
    np.testing.assert_allclose(found[1], base[1] + 0.7 * (rows[0, 1] - base[1]))
    np.testing.assert_allclose(found[2], rows[:, 2].mean(0))

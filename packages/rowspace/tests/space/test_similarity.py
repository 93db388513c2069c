"""Dot, cosine and Euclidean, compared with scipy and with textbook examples, and broadcasting of shapes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rowspace.errors import UsageError
from rowspace.space import cosine, dot, euclidean, row_norms, score, unit_rows
from rowspace.space.similarity import BLOCK_BYTES


@pytest.fixture
def sides():
    rng = np.random.default_rng(0)
    return rng.standard_normal((4, 6)), rng.standard_normal((5, 6))


def test_pairwise_equals_scipy(sides):
    a, b = sides
    np.testing.assert_allclose(cosine(a, b), 1 - cdist(a, b, "cosine"), atol=1e-12)
    np.testing.assert_allclose(euclidean(a, b), cdist(a, b), atol=1e-12)
    np.testing.assert_allclose(dot(a, b), a @ b.T)


@pytest.mark.parametrize("function", [dot, cosine, euclidean])
def test_output_shape_follows_the_arguments(sides, function):
    a, b = sides
    matrix = function(a, b)
    np.testing.assert_allclose(function(a[1], b), matrix[1])
    np.testing.assert_allclose(function(a, b[2]), matrix[:, 2])
    np.testing.assert_allclose(function(a[1], b[2]), matrix[1, 2])
    assert function(a[:0], b).shape == (0, 5)
    assert function(a[:0], b[0]).shape == (0,)


def test_euclidean_of_a_textbook_example():
    near, far = euclidean((0.72, -0.41, 0.15), [(0.68, -0.38, 0.22), (-0.12, 0.05, 0.88)])
    assert (round(near, 3), round(far, 3), round(far / near)) == (0.086, 1.204, 14)


def test_squared_distance_of_unit_vectors_is_two_minus_twice_their_dot():
    u, v = np.array([1.0, 0.0]), np.array([0.8, 0.6])
    assert euclidean(u, v) ** 2 == pytest.approx(0.4)


def test_rotation_preserves_dot_products(sides):
    rotation = np.linalg.qr(np.random.default_rng(1).standard_normal((6, 6)))[0]
    a, b = sides
    np.testing.assert_allclose(dot(a @ rotation, b @ rotation), dot(a, b), atol=1e-12)


def test_zero_rows_have_cosine_zero_and_infinite_rows_nan():
    assert cosine([[0.0, 0.0]], [[1.0, 2.0], [0.0, 0.0]]).tolist() == [[0.0, 0.0]]
    assert np.isnan(unit_rows([np.inf, 1.0])[0])
    assert row_norms(np.array([[1e300], [3.0]])).tolist() == [np.inf, 3.0]


@pytest.mark.parametrize("function", [dot, cosine, euclidean])
def test_rows_of_nan_and_infinity_have_nan_with_themselves_without_a_warning(function):
    rows = [[np.inf, 1.0, -np.inf], [np.nan, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    result = function(rows, rows)
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[2:, 2:]).all()
    assert not np.isfinite(function(rows[0], rows[0]))


def test_norms_of_several_blocks_equal_numpys():
    rows = np.random.default_rng(2).standard_normal((BLOCK_BYTES // 8 // 16 + 3, 16)).astype(np.float32)
    np.testing.assert_allclose(row_norms(rows), np.linalg.norm(rows.astype(np.float64), axis=1), rtol=1e-14)


@pytest.mark.parametrize(("a", "b"), [((1, 2), (1, 2, 3)), (np.ones((1, 1, 2)), (1, 2)), (1.0, (1.0,))])
def test_different_widths_are_refused(a, b):
    with pytest.raises(UsageError, match="same width"):
        cosine(a, b)


def test_unknown_metric_is_refused():
    with pytest.raises(UsageError, match="cosine, dot, euclidean, got 'hamming'"):
        score([1.0], [1.0], metric="hamming")

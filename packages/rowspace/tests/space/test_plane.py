"""The plane of an analogy: lengths and angles in it are exact, and shares tell how much of a point it shows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from rowspace.errors import UsageError
from rowspace.space import Plane

vectors = arrays(np.float64, st.tuples(st.just(4), st.integers(1, 9)), elements=st.floats(-9, 9, width=32))


@given(vectors)
def test_parallelogram_lies_in_the_plane_with_its_true_lengths(points: np.ndarray) -> None:
    a, b, c, _ = points
    corners = np.stack([a, b, c, b - a + c])
    plane = Plane.through(a, b, c)
    flat = plane.coordinates(corners)
    for one in range(4):
        true = np.linalg.norm(corners - corners[one], axis=1)
        np.testing.assert_allclose(np.linalg.norm(flat - flat[one], axis=1), true, atol=1e-9)
    np.testing.assert_allclose(plane.shares(corners), 1, atol=1e-6)


@given(vectors)
def test_share_is_the_drawn_fraction_of_the_distance(points: np.ndarray) -> None:
    plane = Plane.through(*points[:3])
    share, drawn = plane.shares(points[3:])[0], plane.coordinates(points[3:])[0]
    assert 0 <= share <= 1
    np.testing.assert_allclose(share * np.linalg.norm(points[3] - points[0]), np.linalg.norm(drawn), atol=1e-9)


def test_axes_of_nearly_parallel_offsets_are_orthonormal() -> None:
    b = np.array([0.1, 0.2, 0.3])
    plane = Plane.through([0, 0, 0], b, 1e6 * b + [1e-3, -1e-3, 0])
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("points", [([1], [3], [2]), ([0, 0], [0, 0], [0, 0]), ([0, 0], [1, 1], [3, 3])])
def test_collinear_points_give_a_zero_second_axis(points) -> None:
    assert not Plane.through(*points).axes[1].any()


def test_equal_a_and_b_still_give_an_axis_for_c() -> None:
    plane = Plane.through([1, 1], [1, 1], [1, 4])
    assert plane.coordinates([[1, 4]]).tolist() == [[0, 3]]


def test_share_of_a_non_finite_point_is_nan() -> None:
    plane = Plane.through([0, 0, 0], [1, 0, 0], [0, 1, 0])
    assert np.isnan(plane.shares([[np.nan, 0, 0], [np.inf, 0, 0]])).all()


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (([0, 0], [1], [1, 2]), "the same width"),
        (([[0, 0]], [[1, 0]], [[1, 2]]), "the same width"),
        (([0, 0], [1, np.nan], [1, 2]), "finite"),
    ],
)
def test_invalid_points_are_refused(points, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Plane.through(*points)


def test_coordinates_of_points_of_another_width_are_refused() -> None:
    with pytest.raises(UsageError, match=r"points must be \(n, 2\), got \(2,\)"):
        Plane.through([0, 0], [1, 0], [0, 1]).coordinates([1, 2])

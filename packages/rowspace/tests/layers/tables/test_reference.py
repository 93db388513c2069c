import numpy as np
import pytest

from rowspace.layers.tables import reference

SHAPES = [(), (6,), (2, 3), (0,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_forward_matches_numpy_indexing(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    ids, weight = random.integers(7, size=shape), random.standard_normal((7, 3))
    np.testing.assert_array_equal(reference.lookup_forward(ids, weight), weight[ids])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_backward_matches_numpy_add_at(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    ids, grad = random.integers(7, size=shape), random.standard_normal((*shape, 3)).astype(np.float32)
    expected = np.zeros((7, 3), np.float32)
    np.add.at(expected, ids, grad)
    np.testing.assert_array_equal(reference.lookup_backward(ids, grad, 7), expected)


def test_one_hot_matches_rows_of_the_identity() -> None:
    np.testing.assert_array_equal(reference.one_hot([[3, 0], [3, 1]], 4), np.eye(4)[[3, 0, 3, 1]])

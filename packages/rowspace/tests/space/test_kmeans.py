"""`k_means` clusters rows by direction and labels rows without a direction -1."""

import sys

import numpy as np
import pytest

from rowspace.errors import MissingExtraError, UsageError
from rowspace.space import k_means
from rowspace.space.kmeans import cluster_directions


def rows_in_groups(sizes: list[int]) -> np.ndarray:
    """Return one group of rows along each axis, with random lengths."""
    rng = np.random.default_rng(0)
    axes = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    return (axes + rng.normal(0, 0.02, axes.shape)) * rng.uniform(0.1, 50, (len(axes), 1))


@pytest.mark.parametrize("sizes", [{}, {"learned_from": 60, "block_bytes": 500}])
def test_groups_are_found_regardless_of_row_length(sizes: dict[str, int]) -> None:
    found = cluster_directions(rows_in_groups([20, 60, 40]), 3, seed=0, **sizes)
    assert found.labels.tolist() == [2] * 20 + [0] * 60 + [1] * 40
    np.testing.assert_allclose(np.linalg.norm(found.centers, axis=1), 1)
    np.testing.assert_allclose(found.centers, np.eye(3)[[1, 2, 0]], atol=0.05)


def test_rows_without_a_direction_get_label_minus_one() -> None:
    rows = rows_in_groups([30, 20]).astype(np.float32)
    rows[[0, 1, 49]] = [[np.nan, 1], [0, 0], [1, np.inf]]
    assert k_means(rows, 2).labels.tolist() == [-1, -1] + [0] * 28 + [1] * 19 + [-1]


def test_number_of_groups_is_at_most_the_number_of_directions() -> None:
    assert k_means(np.array([[1.0, 0], [2, 0], [0, 3]]), 5).labels.tolist() == [0, 0, 1]
    assert k_means(np.ones((1, 4)), 8).centers.tolist() == [[0.5] * 4]


def test_result_is_deterministic_and_sorted_by_group_size() -> None:
    rows = np.random.default_rng(3).normal(size=(500, 6))
    first, same = k_means(rows, 7), k_means(rows, 7)
    np.testing.assert_array_equal(first.labels, same.labels)
    assert (np.diff(np.bincount(first.labels)) <= 0).all()


def test_invalid_k_and_rows_without_direction_are_refused() -> None:
    with pytest.raises(UsageError, match="k must be at least 1, got 0"):
        k_means(np.eye(2), 0)
    with pytest.raises(UsageError, match="no row has a direction"):
        k_means(np.zeros((3, 2)), 2)


def test_missing_scikit_learn_error_gives_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[analysis\]'"):
        k_means(np.eye(30), 2)

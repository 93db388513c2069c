"""`neighborhood_preservation`, compared with scikit-learn's neighbor search."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from rowspace.errors import UsageError
from rowspace.space import neighborhood_preservation, pca


def by_scikit_learn(rows, positions, k, metric, sampled) -> float:
    sides = [
        NearestNeighbors(n_neighbors=k, metric=name).fit(side).kneighbors(return_distance=False)[sampled]
        for side, name in ((rows, metric), (positions, "euclidean"))
    ]
    return float(np.mean([len(set(a) & set(b)) / k for a, b in zip(*sides, strict=True)]))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("sample", [40, 1000])
def test_agrees_with_scikit_learn(metric, sample: int) -> None:
    rows = np.random.default_rng(0).normal(size=(300, 5))
    positions = pca(rows).positions
    found = neighborhood_preservation(rows, positions, 7, sample=sample, metric=metric)
    assert len(found.sample) == min(sample, 300)
    assert found.share == pytest.approx(by_scikit_learn(rows, positions, 7, metric, found.sample))
    assert (found.k, found.by_chance) == (7, 7 / 299)


def test_seed_determines_the_sampled_rows() -> None:
    rows = np.random.default_rng(1).normal(size=(100, 3))
    first, same, other = (neighborhood_preservation(rows, rows[:, :2], sample=10, seed=seed) for seed in (0, 0, 1))
    assert first.sample.tolist() == same.sample.tolist() != other.sample.tolist()


def test_rows_without_a_position_or_direction_are_excluded() -> None:
    rows = np.random.default_rng(2).normal(size=(60, 2))
    positions = rows.astype(np.float32)
    rows[3], positions[5] = np.nan, np.nan
    found = neighborhood_preservation(rows, positions, metric="euclidean")
    assert found.share == 1
    assert set(range(60)) - set(found.sample.tolist()) == {3, 5}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_row_is_excluded(value: float) -> None:
    rows = np.random.default_rng(0).normal(size=(30, 5))
    positions = rows[:, :2].copy()
    finite = np.delete(np.arange(30), 3)
    expected = by_scikit_learn(rows[finite], positions[finite], 4, "cosine", np.arange(29))
    rows[3, 1] = value
    found = neighborhood_preservation(rows, positions, 4)
    assert found.sample.tolist() == finite.tolist()
    assert found.share == pytest.approx(expected)


def test_two_rows_have_one_neighbor() -> None:
    assert neighborhood_preservation(np.eye(2), np.eye(2))[:2] == (1.0, 1.0)


@pytest.mark.parametrize(
    ("rows", "positions", "message"),
    [
        (np.eye(2), np.eye(3), "must have the same length, got 2 and 3"),
        (np.eye(1), np.eye(1), "at least two rows with finite values and positions are needed, but 1 can be compared"),
    ],
)
def test_invalid_arguments_are_refused(rows, positions, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        neighborhood_preservation(rows, positions)


@pytest.mark.parametrize("sample", [0, -1])
def test_empty_sample_is_refused(sample: int) -> None:
    with pytest.raises(UsageError, match=f"sample must be 1 or more, got {sample}"):
        neighborhood_preservation(np.eye(3), np.eye(3), sample=sample)

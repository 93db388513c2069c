"""CSLS, compared with the full matrix in float64."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace import space
from rowspace.errors import UsageError

pytestmark = pytest.mark.kernels


def dense_csls(sources, rows, neighborhood):
    """The formula of Conneau et al. 2018 on all pairs."""
    unit, others = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (sources, rows))
    cosines = unit @ others.T
    near = -np.sort(-cosines, axis=1)[:, :neighborhood].mean(1)
    back = -np.sort(-cosines, axis=0)[:neighborhood].mean(0)
    return 2 * cosines - near[:, None] - back


@given(st.integers(1, 25), st.integers(1, 25), st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_scores_equal_the_dense_formula(num_sources, num_rows, dim, neighborhood, seed):
    generator = np.random.default_rng(seed)
    sources, rows = generator.normal(size=(num_sources, dim)), generator.normal(size=(num_rows, dim))
    expected = dense_csls(sources, rows, neighborhood)
    ids, scores = space.csls(sources[:5], rows, 3, sources=sources, neighborhood=neighborhood)
    np.testing.assert_allclose(scores, np.take_along_axis(expected[:5], ids, 1), atol=1e-6)
    np.testing.assert_allclose(scores, -np.sort(-expected[:5], axis=1)[:, :3], atol=1e-6)


def test_float32_gives_the_same_answers():
    sources, rows = np.random.default_rng(0).normal(size=(2, 300, 20))
    ids, scores = space.csls(sources, rows, 5)
    narrow_ids, narrow = space.csls(sources.astype(np.float32), rows.astype(np.float32), 5)
    np.testing.assert_allclose(narrow, scores, atol=1e-5)
    assert (narrow_ids == ids).mean() > 0.999


def test_a_hub_is_the_nearest_by_cosine_but_not_by_csls():
    generator = np.random.default_rng(1)
    sources = generator.normal(size=(60, 30)) + 1
    rows = sources + generator.normal(0, 2, size=(60, 30))
    rows[0] = 1  # the mean of all
    by_cosine, _ = space.nearest(sources, rows, 1)
    by_csls, _ = space.csls(sources, rows, 1)
    right = np.arange(60)
    assert (by_cosine[:, 0] == 0).sum() > 2 * (by_csls[:, 0] == 0).sum()
    assert (by_csls[:, 0] == right).mean() > 1.5 * (by_cosine[:, 0] == right).mean()


def test_rows_without_a_direction_are_never_found():
    rows = np.random.default_rng(2).normal(size=(6, 3))
    rows[1], rows[3, 0] = 0, np.nan
    ids, _ = space.csls(rows[[0, 2]], rows, 6, sources=rows, neighborhood=2)
    assert sorted(ids[0].tolist()) == [-1, -1, 0, 2, 4, 5]
    pairs = space.mutual_neighbors(rows, rows, neighborhood=2).pairs
    assert pairs[np.argsort(pairs[:, 0])].tolist() == [[each, each] for each in (0, 2, 4, 5)]
    assert space.mutual_neighbors(np.zeros((2, 3)), rows).pairs.shape == (0, 2)


@pytest.mark.parametrize("by_csls", [True, False])
def test_mutual_neighbors_are_nearest_in_both_directions(by_csls):
    rows, others = np.random.default_rng(3).normal(size=(2, 40, 6))
    scores = dense_csls(rows, others, 4)
    if not by_csls:
        scores = space.cosine(rows, others)
    forth, back = scores.argmax(1), scores.argmax(0)
    expected = {(each, int(forth[each])) for each in range(40) if back[forth[each]] == each}
    found = space.mutual_neighbors(rows, others, by_csls=by_csls, neighborhood=4)
    assert {*map(tuple, found.pairs.tolist())} == expected
    assert (np.diff(found.scores) <= 0).all()
    np.testing.assert_allclose(found.scores, scores[tuple(found.pairs.T)], atol=1e-6)


def test_wrong_input_is_refused():
    with pytest.raises(UsageError, match="neighborhood must be a whole number of at least 1, got 0"):
        space.csls(np.eye(2), np.eye(2), 1, neighborhood=0)
    with pytest.raises(UsageError, match="must agree in d"):
        space.csls(np.eye(2), np.eye(3), 1)

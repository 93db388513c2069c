"""The neighbor search behind the maps, compared with scikit-learn."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from rowspace.errors import UsageError
from rowspace.space import map_neighbors

ROWS = np.random.default_rng(0).normal(size=(1500, 6))


def test_equals_scikit_learn() -> None:
    found = map_neighbors(ROWS, 5)
    units = normalize(ROWS)
    distances, ids = NearestNeighbors(n_neighbors=5).fit(units).kneighbors()
    np.testing.assert_array_equal(found.neighbors, ids)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-5)


def test_larger_k_extends_the_result_of_a_smaller_k() -> None:
    narrow, wide = map_neighbors(ROWS, 4), map_neighbors(ROWS, 40)
    np.testing.assert_array_equal(narrow.neighbors, wide.neighbors[:, :4])
    np.testing.assert_array_equal(narrow.distances, wide.distances[:, :4])


def test_sample_contains_only_finite_rows_and_is_searched_separately() -> None:
    rows = ROWS.copy()
    rows[::2] = np.nan
    found = map_neighbors(rows, 3, sample=100)
    assert len(found.ids) == 100
    assert (found.ids % 2 == 1).all()
    np.testing.assert_array_equal(found.neighbors, map_neighbors(rows[found.ids], 3).neighbors)
    with pytest.raises(UsageError, match="sample must be 8 or more, got 7"):
        map_neighbors(rows, 3, sample=7)


def test_search_reports_progress() -> None:
    calls = []
    map_neighbors(ROWS, 2, on_rows=lambda *call: calls.append(call))
    assert calls == [(1024, 1500), (1500, 1500)]

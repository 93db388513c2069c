"""Rows outside the sample of a map are placed next to their nearest mapped row."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from rowspace.errors import UsageError
from rowspace_lab.experiments import place_others

RANDOM = np.random.default_rng(0)
ROWS, POSITIONS = RANDOM.normal(size=(1300, 6)), RANDOM.normal(size=(1300, 2)).astype(np.float32)


def test_row_is_placed_next_to_its_nearest_mapped_row() -> None:
    positions = POSITIONS.copy()
    positions[200:] = np.nan
    rows = ROWS.copy()
    rows[1299] = np.nan
    placed = place_others(rows, positions)
    np.testing.assert_array_equal(placed[:200], POSITIONS[:200])
    assert np.isnan(placed[1299]).all()
    nearest = cosine_similarity(rows[200:1299], rows[:200]).argmax(1)
    apart = np.linalg.norm(placed[200:1299] - POSITIONS[nearest], axis=1)
    assert 0 < np.median(apart) < 0.1  # the positions span about 6 units


def test_placement_is_deterministic_and_reports_progress() -> None:
    positions = POSITIONS.copy()
    positions[:1100] = np.nan
    calls = []
    first = place_others(ROWS, positions, on_rows=lambda *call: calls.append(call))
    np.testing.assert_array_equal(first, place_others(ROWS, positions))
    assert calls == [(1024, 1100), (1100, 1100)]


def test_map_without_any_position_is_refused() -> None:
    with pytest.raises(UsageError, match="no row has a position"):
        place_others(ROWS, np.full((1300, 2), np.nan))

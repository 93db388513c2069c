"""Downsampling a matrix, compared with the mean of each cell."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.errors import UsageError
from rowspace.space import downsample_matrix


@given(st.data(), st.sampled_from(["<f4", "<f8", "<f2"]))
def test_cells_equal_the_means_of_their_parts(data: st.DataObject, dtype: str) -> None:
    height, width = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 20)))
    matrix = np.random.default_rng(0).normal(size=(height, width)).astype(dtype)
    top, left = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    rows = (top, data.draw(st.integers(top + 1, height)))
    columns = (left, data.draw(st.integers(left + 1, width)))
    cells = data.draw(st.tuples(st.integers(1, 50), st.integers(1, 50)))
    window = downsample_matrix(matrix, rows, columns, cells=cells)
    assert window.values.shape == (min(cells[0], rows[1] - rows[0]), min(cells[1], columns[1] - columns[0]))
    assert (window.row_edges[0], window.row_edges[-1]) == rows
    assert (window.column_edges[0], window.column_edges[-1]) == columns
    sampled = downsample_matrix(matrix, rows, columns, cells=cells, by="sample").values
    for i, j in np.ndindex(*window.values.shape):
        part = matrix[
            window.row_edges[i] : window.row_edges[i + 1], window.column_edges[j] : window.column_edges[j + 1]
        ]
        assert window.values[i, j] == pytest.approx(part.astype(np.float64).mean(), rel=1e-6, abs=1e-7)
        assert sampled[i, j] == np.float32(part[0, 0])


def test_one_cell_per_value_returns_the_matrix() -> None:
    matrix = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    window = downsample_matrix(matrix, (0, 7), (0, 5), cells=(100, 100))
    np.testing.assert_array_equal(window.values, matrix)
    assert window.rows_read == 1


def test_nan_propagates_to_its_cells() -> None:
    matrix = np.ones((4, 4))
    matrix[1] = np.nan
    assert np.isnan(downsample_matrix(matrix, (0, 4), (0, 4), cells=(2, 2)).values).tolist() == [
        [True, True],
        [False, False],
    ]


def test_large_matrix_is_sampled() -> None:
    matrix = np.broadcast_to(np.arange(1 << 22, dtype=np.float64)[:, None], (1 << 22, 8))
    window = downsample_matrix(matrix, (0, 1 << 22), (0, 8), cells=(4, 8))
    assert window.rows_read == 1 << 17
    centers = (window.row_edges[:-1] + window.row_edges[1:]) / 2
    np.testing.assert_allclose(window.values, np.repeat(centers[:, None], 8, 1), rtol=1e-4)


@pytest.mark.parametrize(
    ("rows", "columns", "cells", "by", "message"),
    [
        ((0, 5), (0, 3), (1, 1), "mean", "rows must be within 0 to 4, with the start before the end, not 0 to 5"),
        ((2, 2), (0, 3), (1, 1), "mean", "rows must be"),
        ((0, 4), (-1, 3), (1, 1), "mean", "columns must be within 0 to 3"),
        ((0, 4), (0, 3), (0, 1), "mean", "cells must be 1 or more in each dimension"),
        ((0, 4), (0, 3), (1, 1), "median", "by mean or sample, not .* by 'median'"),
    ],
)
def test_invalid_arguments_are_refused(rows, columns, cells, by: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        downsample_matrix(np.ones((4, 3)), rows, columns, cells=cells, by=by)

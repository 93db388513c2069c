"""The figure of the matrix on the Cost page, which does not need PyTorch."""

import numpy as np

from rowspace import space
from rowspace.lab.pages.cost.replies import Window
from rowspace.space.downsample import DownsampleMethod
from rowspace.table import Table


def color_limit(table: Table) -> float:
    """Return the end of the color scale: the 99.5th percentile of the magnitudes in evenly spaced rows."""
    num_rows = min(len(table), max(1, 2**20 // table.dim))
    spaced = np.linspace(0, len(table), num_rows, endpoint=False).astype(int)
    magnitudes = np.abs(table.rows[spaced].astype(np.float64))
    magnitudes = magnitudes[np.isfinite(magnitudes)]
    return float(np.quantile(magnitudes, 0.995)) if magnitudes.size else 0.0


def window_figure(
    table: Table,
    limit: float,
    *,
    rows: tuple[int, int],
    columns: tuple[int, int],
    cells: tuple[int, int],
    by: DownsampleMethod,
) -> Window:
    """Downsample a range of rows and columns to at most `cells` (rows, columns)."""
    part = space.downsample_matrix(table.rows, rows, columns, cells=cells, by=by)
    return {
        "values": part.values,
        "row_edges": part.row_edges,
        "column_edges": part.column_edges,
        "rows": len(table),
        "columns": table.dim,
        "rows_read": part.rows_read,
        "tokens": [table.vocabulary[row] for row in part.row_edges[:-1]],
        "limit": limit,
    }

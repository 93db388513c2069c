"""The figure of the Cost page's matrix, which needs no PyTorch."""

import numpy as np

from rowspace import space
from rowspace.lab.pages.cost.replies import Window
from rowspace.space.downsample import DownsampleMethod
from rowspace.table import Table


def color_limit(table: Table) -> float:
    """A magnitude that nearly all numbers stay below, from evenly spaced rows: the end of the scale of colors."""
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
    """A range of rows and one of columns, shrunk to at most so many cells."""
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

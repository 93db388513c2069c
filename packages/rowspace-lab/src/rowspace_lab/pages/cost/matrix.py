"""The figure of the matrix on the Cost page, which does not need PyTorch."""

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.space.downsample import DownsampleMethod
from rowspace.table import Table
from rowspace_lab.pages.cost.replies import Window


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
    size: tuple[int, int],
    rows: tuple[int, int],
    columns: tuple[int, int],
    cells: tuple[int, int],
    by: DownsampleMethod,
) -> Window:
    """Downsample a range of a matrix of `size` (V, d), which the table fills from the top left, to at most `cells`."""
    row_edges = cell_edges(rows, len(table), cells[0])
    column_edges = cell_edges(columns, table.dim, cells[1])
    values = np.full((len(row_edges) - 1, len(column_edges) - 1), np.nan, np.float32)
    down, across = int((row_edges[:-1] < len(table)).sum()), int((column_edges[:-1] < table.dim).sum())
    if down and across:
        ends = min(rows[1], len(table)), min(columns[1], table.dim)
        window = (rows[0], ends[0]), (columns[0], ends[1])
        part = space.downsample_matrix(table.rows, *window, cells=(down, across), by=by)
        values[:down, :across] = part.values
    return {
        "values": values,
        "row_edges": row_edges,
        "column_edges": column_edges,
        "rows": size[0],
        "columns": size[1],
        "table_rows": len(table),
        "table_columns": table.dim,
        "rows_read": part.rows_read if down and across else 0,
        "tokens": [table.vocabulary[row] if row < len(table) else "" for row in row_edges[:-1]],
        "limit": limit,
    }


def cell_edges(window: tuple[int, int], inside: int, cells: int) -> NDArray[np.int64]:
    """Divide a window into at most `cells` parts (2 or more) of nearly equal size; none is partly beyond `inside`."""
    first, end = window
    cells = min(cells, end - first)
    if inside <= first or inside >= end:
        return np.linspace(first, end, cells + 1).astype(np.int64)
    before = min(max(1, round(cells * (inside - first) / (end - first))), max(1, cells - 1))
    after = max(1, cells - before)
    edges = [np.linspace(first, inside, before, endpoint=False), np.linspace(inside, end, after + 1)]
    return np.concatenate(edges).astype(np.int64)

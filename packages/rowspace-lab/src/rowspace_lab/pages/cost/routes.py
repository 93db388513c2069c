"""The routes of the Cost page: the cost of a V × d table, published models, and the values of the open table.

Costs are computed by `rowspace.layers.cost`, which needs PyTorch; the matrix does not.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, get_args

from rowspace.space.downsample import DownsampleMethod
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.cost.matrix import color_limit, window_figure
from rowspace_lab.pages.cost.replies import (
    CostsReply,
    Formula,
    ModelsReply,
    ModelTablesReply,
    SecondTablesReply,
    WidthsReply,
    WindowReply,
)
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

if TYPE_CHECKING:
    from rowspace.layers.cost.counts import Optimizer

__all__ = ["ROUTES"]

_MAX_CELLS = 512
_MAX_ROWS, _MAX_COLUMNS = 100_000_000, 1_000_000
_WITHOUT = "albert"  # whose layers share their weights, so that it is wide and has few parameters
_TABLES = ("bert-base-uncased", "bert-large-uncased")
_OPTIMIZERS: "tuple[Optimizer, ...]" = ("adamw", "adam", "adagrad", "momentum", "sgd")


@needs_torch
def costs(lab: Lab, query: Query) -> CostsReply:
    """Return the parameters, bytes and operations of a table and its head.

    The table has the size `vocabulary` × `dimension`, by default that of the open one.
    """
    from rowspace_lab.pages.cost.figures import DTYPES, costs_figure

    figure = partial(
        costs_figure,
        vocabulary=query.integer("vocabulary", len(lab.table), low=1, high=_MAX_ROWS),
        dimension=query.integer("dimension", lab.table.dim, low=1, high=_MAX_COLUMNS),
        dtype=query.choice("dtype", DTYPES),
        optimizer=query.choice("optimizer", _OPTIMIZERS),
        tied=query.flag("tied", True),
        tokens=query.integer("tokens", 1024, low=1, high=100_000_000),
    )
    found = figure()
    formulas = _formulas(found["values"].tolist(), **figure.keywords)
    return {
        **found,
        "vocabulary": figure.keywords["vocabulary"],
        "dimension": figure.keywords["dimension"],
        "formulas": formulas,
        "code": shown(lab, figure),
    }


@needs_torch
def models(lab: Lab, _: Query) -> ModelsReply:
    """Return the table sizes of published text models, with their shares of the model, and of the open table."""
    from rowspace_lab.pages.cost.figures import models_figure

    figure = partial(models_figure)
    return {**figure(lab.table), "code": shown(lab, figure)}


@needs_torch
def second_tables(lab: Lab, query: Query) -> SecondTablesReply:
    """Return the tables of n-grams or of rows for each layer of published models, mapped from a file."""
    from rowspace.layers.cost.counts import BYTES
    from rowspace_lab.pages.cost.figures import second_tables_figure

    tokens = query.integer("tokens", 1024, low=1, high=_MAX_ROWS)
    dtype = query.choice("dtype", tuple(BYTES), "bfloat16")
    figure = partial(second_tables_figure, tokens=tokens, dtype=dtype)
    return {**figure(), "tokens": tokens, "dtype": dtype, "code": shown(lab, figure)}


@needs_torch
def widths(lab: Lab, _: Query) -> WidthsReply:
    """Return d against the parameters of published text models, with the fitted power law."""
    from rowspace_lab.pages.cost.figures import widths_figure

    figure = partial(widths_figure, without=_WITHOUT)
    return {**figure(), "without": _WITHOUT, "code": shown(lab, figure)}


@needs_torch
def model_tables(lab: Lab, query: Query) -> ModelTablesReply:
    """Return rows and parameters of the three tables of a BERT `model` at `dimension`."""
    from rowspace_lab.pages.cost.figures import model_tables_figure

    model = query.choice("model", _TABLES)
    dimension = query.integer("dimension", 768, low=1, high=_MAX_COLUMNS)
    figure = partial(model_tables_figure, model=model, dimension=dimension)
    return {**figure(), "model": model, "dimension": dimension, "code": shown(lab, figure)}


def window(lab: Lab, query: Query) -> WindowReply:
    """Return the window from `top`, `left` to `bottom`, `right`, downsampled to at most `height` × `width` cells.

    The matrix has the size `vocabulary` × `dimension`, by default that of the table, and is empty beyond the table.
    """
    num_rows, num_columns = (
        query.integer(name, size, low=1, high=most)
        for name, size, most in zip(
            ("vocabulary", "dimension"), lab.table.rows.shape, (_MAX_ROWS, _MAX_COLUMNS), strict=True
        )
    )
    top = query.integer("top", 0, low=0, high=num_rows - 1)
    bottom = query.integer("bottom", num_rows, low=top + 1, high=num_rows)
    left = query.integer("left", 0, low=0, high=num_columns - 1)
    right = query.integer("right", num_columns, low=left + 1, high=num_columns)
    height = query.integer("height", 256, low=1, high=_MAX_CELLS)
    width = query.integer("width", 256, low=1, high=_MAX_CELLS)
    by: DownsampleMethod = query.choice("by", get_args(DownsampleMethod), "sample")
    size = (num_rows, num_columns)
    figure = partial(window_figure, size=size, rows=(top, bottom), columns=(left, right), cells=(height, width), by=by)
    limit = lab.cached("cost/limit", lambda: color_limit(lab.table))
    return {**figure(lab.table, limit), "code": shown(lab, figure, limit=partial(color_limit))}


def _formulas(
    values: list[float],
    *,
    vocabulary: int,
    dimension: int,
    dtype: str,
    optimizer: "Optimizer",
    tied: bool,
    tokens: int,
) -> list[Formula]:
    """Return name, formula, formula with numbers, result and unit of each cost."""
    from rowspace.layers.cost.counts import BYTES, STATE

    v, d, n = f"{vocabulary:,}", f"{dimension:,}", f"{tokens:,}"
    matrices, count = "" if tied else "2 · ", f"{int(values[0]):,}"
    rows = [("parameters", f"{matrices}V · d", f"{matrices}{v} · {d}", "parameters")]
    if size := BYTES.get(dtype):
        kept = STATE[optimizer]
        rows += [
            ("weights", "parameters · bytes", f"{count} · {size}", "bytes"),
            ("gradient", "parameters · bytes", f"{count} · {size}", "bytes"),
            (f"state of {optimizer}", "kept · parameters · bytes", f"{kept} · {count} · {size}", "bytes"),
            ("lookup, moved", "n · (8 + 2 · d · bytes)", f"{n} · (8 + 2 · {d} · {size})", "bytes"),
        ]
    else:
        width = dimension if dtype == "int8" else -(-dimension // 2)
        formula = "V · (d + 4)" if dtype == "int8" else "V · (⌈d / 2⌉ + 4)"
        rows.append(("weights", f"{matrices}{formula}", f"{matrices}{v} · ({width:,} + 4)", "bytes"))
    rows += [
        ("lookup", "0", "0", "operations"),
        ("head", "2 · n · V · d", f"2 · {n} · {v} · {d}", "operations"),
    ]
    return [
        {"name": name, "formula": formula, "numbers": numbers, "value": value, "unit": unit}
        for (name, formula, numbers, unit), value in zip(rows, values, strict=True)
    ]


ROUTES: Mapping[str, Handler] = {
    "cost/figures": costs,
    "cost/models": models,
    "cost/second": second_tables,
    "cost/widths": widths,
    "cost/tables": model_tables,
    "cost/window": window,
}

"""The replies of the Cost page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class Formula(TypedDict):
    """How a figure is computed."""

    name: str
    formula: str
    numbers: str
    """The formula with its numbers in place."""
    value: float
    unit: str
    """Parameters, bytes or operations."""


class Costs(TypedDict):
    """What a table costs.

    `parameters`: those of the table, and of the head's own. `training`: bytes of weights, gradient and optimizer state;
    of weights alone for int8 and int4, which are not trained. `by_dtype`: bytes of the weights in each dtype.
    `operations`: of the head; a lookup has none. `moved`: the bytes that the lookup moves. `values`: those of all
    formulas.
    """

    dtypes: list[str]
    values: Array
    parameters: Array
    training: Array
    by_dtype: Array
    operations: Array
    moved: Array


class CostsReply(Costs, Shown):
    """What a table costs, with the formulas."""

    formulas: list[Formula]


class PublishedModel(TypedDict):
    """A published model."""

    name: str
    tied: bool
    paper: str
    source: str


class OpenedTable(TypedDict):
    """The table that is open."""

    vocabulary: int
    dimension: int
    dtype: str


class Models(TypedDict):
    """What the tables of published models and the opened table hold.

    Of the models (n,): rows `vocabulary`, numbers of a row `dimension`, `parameters` of table and head, those of the
    `whole` model, and the table's `share` in them, NaN where it is not known.
    """

    models: list[PublishedModel]
    table: OpenedTable
    vocabulary: Array
    dimension: Array
    parameters: Array
    whole: Array
    share: Array


class ModelsReply(Models, Shown):
    """What the tables of published models hold."""


class Window(TypedDict):
    """A part of the open table, at the size of a picture.

    `values` (h, w); `row_edges` (h + 1,) and `column_edges` (w + 1,) say which rows and columns a cell stands for.
    """

    values: Array
    row_edges: Array
    column_edges: Array
    rows: int
    """The size of the whole table."""
    columns: int
    rows_read: int
    """How many rows a cell was computed from, at most."""
    tokens: list[str]
    """The token of the first row that each row of cells stands for."""
    limit: float
    """A magnitude that nearly all numbers of the table stay below."""


class WindowReply(Window, Shown):
    """A part of the open table."""

"""The replies of the Cost page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class Formula(TypedDict):
    """A cost with its formula."""

    name: str
    formula: str
    numbers: str
    """The formula with the numbers inserted."""
    value: float
    unit: str
    """Parameters, bytes or operations."""


class Costs(TypedDict):
    """The cost of a table.

    `parameters` of the table and of an untied head; `training`, the bytes of weights, gradient and optimizer state
    (for int8 and int4, which are not trained, only weights); `by_dtype`, the bytes of the weights in each dtype;
    `operations` of the head (a lookup has none); `moved`, the bytes that a lookup moves; `values` of all formulas.
    """

    dtypes: list[str]
    values: Array
    parameters: Array
    training: Array
    by_dtype: Array
    operations: Array
    moved: Array


class CostsReply(Costs, Shown):
    """The cost of a table, with formulas."""

    formulas: list[Formula]


class PublishedModel(TypedDict):
    """A published model."""

    name: str
    tied: bool
    paper: str
    source: str


class OpenedTable(TypedDict):
    """The open table."""

    vocabulary: int
    dimension: int
    dtype: str


class Models(TypedDict):
    """The sizes of the tables of published models, and of the open table.

    For each model (n,): `vocabulary` and `dimension` of the table, `parameters` of table and head, parameters of the
    `whole` model, and the `share` of the former in the latter, NaN if unknown.
    """

    models: list[PublishedModel]
    table: OpenedTable
    vocabulary: Array
    dimension: Array
    parameters: Array
    whole: Array
    share: Array


class ModelsReply(Models, Shown):
    """The sizes of published models, with their code."""


class Window(TypedDict):
    """A window of the open table, downsampled.

    `values` (h, w); `row_edges` (h + 1,) and `column_edges` (w + 1,), the ranges of rows and columns that cells cover.
    """

    values: Array
    row_edges: Array
    column_edges: Array
    rows: int
    """The number of rows of the table."""
    columns: int
    """The number of columns of the table."""
    rows_read: int
    """The largest number of rows from which a cell is computed."""
    tokens: list[str]
    """The token of the first row that each row of cells covers."""
    limit: float
    """The end of the color scale, which nearly all magnitudes are below."""


class WindowReply(Window, Shown):
    """A window of the open table, with its code."""

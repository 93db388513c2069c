"""The replies of the Cost page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


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
    """The cost of a table, with its size and formulas."""

    vocabulary: int
    dimension: int
    formulas: list[Formula]


class PublishedModel(TypedDict):
    """A published model."""

    name: str
    tied: bool
    paper: str
    source: str
    position_scheme: str
    """learned, rotary, alibi or relative."""
    num_layers: int | None


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


class SecondTable(TypedDict):
    """A table that a model reads besides that of its tokens."""

    name: str
    rows_are: str
    """What its rows stand for."""
    rows: int
    dimension: int
    reads: int
    """The rows that are read for a token."""
    source: str


class SecondTables(TypedDict):
    """The second tables of published models.

    For each model (n,): `parameters` of the table and of the `whole` model; bytes on `disk` and, at most, in `memory`
    if the table stays in a file.
    """

    models: list[SecondTable]
    parameters: Array
    whole: Array
    disk: Array
    memory: Array


class SecondTablesReply(SecondTables, Shown):
    """The second tables of published models, with the settings of the request."""

    tokens: int
    dtype: str


class Widths(TypedDict):
    """The width d of published models against their parameters N, and the power law d = factor · N^slope.

    For each model (n,): `parameters`, `dims`, and whether it is `used` in the fit. The rule of thumb is
    d = root_factor · √N.
    """

    models: list[str]
    parameters: Array
    dims: Array
    used: Array
    slope: float
    factor: float
    root_factor: float
    slope_of_all: float
    """The slope with all models."""
    spread: float
    """The factor by which models typically differ from the fit: exp of the standard deviation of log d."""
    root_spread: float
    """The same for the rule of thumb."""


class WidthsReply(Widths, Shown):
    """Widths against parameters, with the settings of the request."""

    without: str


class ModelTables(TypedDict):
    """The tables of a model (3,): `rows`, `parameters` at the requested dimension, and `own_parameters`."""

    names: list[str]
    rows: Array
    parameters: Array
    own_dimension: int
    own_parameters: Array
    share: float
    """The share of the token table, which does not depend on the dimension."""


class ModelTablesReply(ModelTables, Shown):
    """The tables of a model, with the settings of the request."""

    model: str
    dimension: int


class Window(TypedDict):
    """A window of a V × d matrix that the open table fills from the top left, downsampled; NaN outside the table.

    `values` (h, w); `row_edges` (h + 1,) and `column_edges` (w + 1,), the ranges of rows and columns that cells cover.
    """

    values: Array
    row_edges: Array
    column_edges: Array
    rows: int
    """V, the number of rows of the matrix."""
    columns: int
    """d, the number of columns of the matrix."""
    table_rows: int
    table_columns: int
    rows_read: int
    """The largest number of rows from which a cell is computed."""
    tokens: list[str]
    """The token of the first row that each row of cells covers; empty outside the table."""
    limit: float
    """The end of the color scale, which nearly all magnitudes are below."""


class WindowReply(Window, Shown):
    """A window of the open table, with its code."""

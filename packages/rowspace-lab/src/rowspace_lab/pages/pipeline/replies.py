"""The replies of the Pipeline page."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Array, Shown
from rowspace_lab.shared.sentence import SentenceFields


class Forward(TypedDict):
    """`ids` (n,), their `rows` (n, d), and the `product` (n, d) of the one-hot matrix and the table, which equals them.

    `one_hot` (n, u) has only the columns of the ids that occur; all other columns are zero.
    """

    ids: Array
    rows: Array
    one_hot: Array
    product: Array
    vocabulary: int
    columns: list[str]
    equal: bool
    finite: bool
    product_operations: int
    """Multiplications and additions of the product with all columns of the one-hot matrix: 2 n V d."""
    one_hot_numbers: int
    """The size of the whole one-hot matrix: n V."""
    numbers_read: int
    """What the lookup reads: n d numbers; it computes nothing."""


class ForwardReply(Forward, SentenceFields, Shown):
    """The rows of a text, with their code."""


class TableCells(TypedDict):
    """The table, downsampled: `cells` (h, w) are numbers of the table, those at `row_edges` (h + 1,) and columns."""

    cells: Array
    row_edges: Array
    columns: int
    """The number of columns of the table, of which w are shown."""
    vocabulary: int


class TableCellsReply(TableCells, Shown):
    """The whole table as a picture."""

    names: list[str]
    """The tokens of all rows of a small table; empty for a large one."""


class TokenDistances(TypedDict):
    """Distances between the distinct tokens of a text, (u, u): `by_id`, `by_one_hot` and `by_row`.

    `new_ids` (u,) are the ids after the vocabulary is renumbered; all distances are computed with them.
    """

    by_id: Array
    by_one_hot: Array
    by_row: Array
    old_ids: Array
    new_ids: Array
    names: list[str]
    changed: list[int]
    """How many of the `num_pairs` distances differ from those before renumbering: by id, by one-hot and by row."""
    num_pairs: int


class TokenDistancesReply(TokenDistances, SentenceFields, Shown):
    """Three distance tables of a text's tokens."""

    seed: int
    """0 keeps the ids."""


Recipe = Literal["transformer", "plain", "gpt2", "bert", "llama", "gemma"]


class Matrix(TypedDict):
    """X (n, d), the input of the first layer, and its parts, all (n, d).

    `rows` are the rows of the table, `scaled` is what the recipe makes of them, and `positions` is the sum of all else
    that it adds. `X` is `scaled` + `positions`, normalized if the recipe has a LayerNorm.
    """

    rows: Array
    scaled: Array
    positions: Array
    X: Array
    scale: float
    """The factor from rows to scaled rows."""
    token_norm: float
    """The mean norm of the scaled rows."""
    position_norm: float
    """The mean norm of what is added to them."""
    unscaled_ratio: float | None
    """The norm of what is added, by that of the rows before they are scaled; null for rows of zeros."""
    ratio: float | None
    """The norm of what is added, by that of the scaled rows."""


class MatrixReply(Matrix, SentenceFields, Shown):
    """The input matrix of a text by a recipe."""

    recipe: Recipe
    recipes: list[Recipe]
    normalized: bool
    untrained: bool
    """Whether the recipe adds learned vectors, which are random here."""


class Nearest(TypedDict):
    """The nearest tokens of each of n tokens, nearest first; none for a row of zeros or with NaN or infinity."""

    names: list[list[str]]
    scores: list[list[float]]
    """Cosines."""


class NearestReply(Nearest, SentenceFields, Shown):
    """The nearest tokens of each token of a text."""


class TiedGradient(TypedDict):
    """The rows with a gradient when each token of the text predicts the next one, the last one the first one.

    `untied` and `tied` (b,) are the largest norms of the gradients of rows `edges[i]` to `edges[i + 1]`, with a
    separate output matrix of the same values, and with the table as output matrix.
    """

    untied: Array
    tied: Array
    edges: Array
    untied_rows: int
    """The number of nonzero rows of the gradient."""
    tied_rows: int
    distinct: int
    """The number of distinct ids."""
    vocabulary: int


class TiedGradientReply(TiedGradient, SentenceFields, Shown):
    """The rows with a gradient, with and without tied weights."""


class Check(TypedDict):
    """A comparison with a gradient computed in another way: exact equality and the largest difference."""

    way: str
    equal: bool
    difference: float | None


class Backward(TypedDict):
    """The gradient of the tokens, `upstream` (n, d), and the `gradient` (u, d) of the rows with ids `touched` (u,)."""

    upstream: Array
    touched: Array
    gradient: Array
    vocabulary: int
    rows: list[str]
    token_indices: list[list[int]]
    """For each row, the indices of its tokens."""
    checks: list[Check]


class BackwardReply(Backward, SentenceFields, Shown):
    """The gradient of the rows; `g` (n,) is a number for each token."""

    g: Array
    kind: Literal["ones", "rows"]
    missing: str | None
    """A message that says what to install for further checks; null if PyTorch is installed."""


Optimizer = Literal["SGD", "AdamW"]


class Steps(TypedDict):
    """How far rows move in s steps of an optimizer, for r rows of the table with `ids` (r,).

    `before` and `after` (r, d) are the rows before and after the last step. `distances` (s, r) are how far each row
    moved in each step, and `gradient_norms` (s, r) the norms of its gradients.
    """

    ids: Array
    names: list[str]
    before: Array
    after: Array
    distances: Array
    gradient_norms: Array
    moved_rows: list[int]
    """The number of rows of the whole table that moved in each step."""
    gradient_rows: list[int]
    """The number of rows of the whole table with a nonzero gradient in each step."""
    rate: float
    """The learning rate."""
    decay: float
    """The weight decay of the optimizer."""
    vocabulary: int


class StepsReply(Steps, Shown):
    """The steps of an optimizer, with the settings of the request."""

    optimizer: Optimizer
    texts: list[str]
    """The text that each step read."""

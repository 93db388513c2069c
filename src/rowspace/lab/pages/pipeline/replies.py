"""The replies of the Pipeline page."""

from typing import Literal, TypedDict

from rowspace.lab.shared.figure import Array, Shown
from rowspace.lab.shared.sentence import SentenceFields


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


class ForwardReply(Forward, SentenceFields, Shown):
    """The rows of a text, with their code."""


class Matrix(TypedDict):
    """The `positions` (n, d), and `X` (n, d), which is rows + positions."""

    positions: Array
    X: Array


class MatrixReply(Matrix, SentenceFields, Shown):
    """The input matrix of a text."""

    position: Literal["sinusoid", "learned", "none"]


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

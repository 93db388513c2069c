"""The replies of the Pipeline page."""

from typing import Literal, TypedDict

from rowspace.lab.shared.figure import Array, Shown
from rowspace.lab.shared.sentence import SentenceFields


class Forward(TypedDict):
    """`ids` (n,), their `rows` (n, d), and the same rows as the `product` (n, d) of the one-hot matrix and the table.

    `one_hot` (n, u) has only the columns of the ids that occur: all others hold only zeros.
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
    """From a text to its rows."""


class Matrix(TypedDict):
    """The rows of `positions` 0 ... n - 1 (n, d), and `X` (n, d), which is rows + positions."""

    positions: Array
    X: Array


class MatrixReply(Matrix, SentenceFields, Shown):
    """The input matrix of a text."""

    position: Literal["sinusoid", "learned", "none"]


class Check(TypedDict):
    """Whether the gradient computed in another way is equal to the last bit, and how far it differs."""

    way: str
    equal: bool
    difference: float | None


class Backward(TypedDict):
    """The `gradient` (u, d) of the rows `touched` (u,) from the `upstream` (n, d); that of all other rows is zero."""

    upstream: Array
    touched: Array
    gradient: Array
    vocabulary: int
    rows: list[str]
    token_indices: list[list[int]]
    """For each row, the indices of the tokens that it is the row of."""
    checks: list[Check]


class BackwardReply(Backward, SentenceFields, Shown):
    """What each row of the table gets; `g` (n,) is a number for each token."""

    g: Array
    kind: Literal["ones", "rows"]
    missing: str | None
    """What to install for the checks that are left out."""

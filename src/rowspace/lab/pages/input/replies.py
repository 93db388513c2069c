"""The replies of the Input page."""

from typing import Literal, NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown
from rowspace.lab.shared.sentence import SentenceFields

Part = Literal["tokens", "segments", "positions"]


class Parts(TypedDict):
    """The contributions of p parts to n tokens, `contributions` (p, n, d).

    `rows` (n, d) are the rows of the table, which the recipe may scale; `total` (n, d) is the sum of the enabled parts;
    `output` (n, d) is the sum after the normalization layer, if the recipe has one.
    """

    parts: list[Part]
    rows: Array
    contributions: Array
    total: Array
    output: NotRequired[Array]


class PartsReply(Parts, SentenceFields, Shown):
    """The parts of a model's input, with the settings of the request."""

    recipe: str
    recipes: list[str]
    on: list[Part]
    steps: list[str]
    """The steps of the recipe, in order."""
    start: int
    """The position of the first token."""
    second: int
    """The first token of the second segment."""
    scaled: bool
    """Whether the recipe scales token rows."""
    two_segments: bool
    """Whether tokens can belong to a second segment."""
    max_positions: int | None
    """null if the length of texts is not limited."""
    drawn: list[Part]
    """The parts with random weights."""


class WayCost(TypedDict):
    """The costs of one way to combine tokens and positions."""

    way: Literal["added", "concatenated", "mapped"]
    width: int
    position_parameters: int
    parameters: int
    operations: int
    """Operations per token."""
    layer: int
    """The size of a square matrix that follows."""


class Concatenated(TypedDict):
    """Positions `added` to the rows (n, d), or `concatenated` with them (n, d + w)."""

    added: Array
    concatenated: Array
    costs: list[WayCost]
    identity: float | None
    """The largest difference between the sum and a concatenation times stacked identities; null for d > 1024."""


class ConcatenatedReply(Concatenated, SentenceFields, Shown):
    """Sum and concatenation, with the settings of the request."""

    position: Literal["sinusoid", "learned"]
    width: int


class Norms(TypedDict):
    """The `norms` (n,) of the text's rows, and the mean norm of rows, `token_norms` (101,), at `scales` (101,)."""

    norms: Array
    scales: Array
    token_norms: Array
    token_norm: float
    """The mean norm of the unscaled rows."""
    position_norm: float
    ratio: float | None
    """The position's norm divided by the mean norm of scaled rows; null if that is zero."""
    balance: float | None
    """The scale at which both norms are equal."""
    root: float


class NormsReply(Norms, SentenceFields, Shown):
    """The norms of rows and positions, with the settings of the request."""

    rows: Literal["table", "drawn"]
    position: Literal["sinusoid", "learned"]
    dim: int
    start: int
    scale: float

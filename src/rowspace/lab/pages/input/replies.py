"""The replies of the Input page."""

from typing import Literal, NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown
from rowspace.lab.shared.sentence import SentenceFields

Part = Literal["tokens", "segments", "positions"]


class Parts(TypedDict):
    """What each of p parts adds to n tokens, `contributions` (p, n, d).

    `rows` (n, d) are the table's, of which the recipe may scale the tokens' part; `total` (n, d) sums the parts that
    are on, `output` (n, d) is its norm in a recipe that has one.
    """

    parts: list[Part]
    rows: Array
    contributions: Array
    total: Array
    output: NotRequired[Array]


class PartsReply(Parts, SentenceFields, Shown):
    """The input of a known model, part by part."""

    recipe: str
    recipes: list[str]
    on: list[Part]
    steps: list[str]
    """What the recipe does, in its order."""
    start: int
    """The position of the first token."""
    second: int
    """The first token of the second segment."""
    scaled: bool
    """Whether token rows are multiplied first."""
    two_segments: bool
    """Whether tokens can belong to a second segment."""
    max_positions: int | None
    """null: no longest text."""
    drawn: list[Part]
    """The parts whose tables are not learned."""


class WayCost(TypedDict):
    """What one way to combine tokens and positions costs."""

    way: Literal["added", "concatenated", "mapped"]
    width: int
    position_parameters: int
    parameters: int
    operations: int
    """For a token."""
    layer: int
    """A square matrix that follows."""


class Concatenated(TypedDict):
    """Positions `added` to the rows (n, d), or `concatenated` with them (n, d + w)."""

    added: Array
    concatenated: Array
    costs: list[WayCost]
    identity: float | None
    """How far the sum is from parts of equal width side by side, times two identity matrices on top of one another."""


class ConcatenatedReply(Concatenated, SentenceFields, Shown):
    """Positions added to the rows or next to them."""

    position: Literal["sinusoid", "learned"]
    width: int


class Norms(TypedDict):
    """The `norms` (n,) of the text's rows; those of the mean row, `token_norms` (101,), at `scales` (101,)."""

    norms: Array
    scales: Array
    token_norms: Array
    token_norm: float
    """The mean."""
    position_norm: float
    ratio: float | None
    """The position's norm over that of the scaled row; null where rows have none."""
    balance: float | None
    """The scale at which both norms are equal."""
    root: float


class NormsReply(Norms, SentenceFields, Shown):
    """How long rows are next to positions."""

    rows: Literal["table", "drawn"]
    position: Literal["sinusoid", "learned"]
    dim: int
    start: int
    scale: float

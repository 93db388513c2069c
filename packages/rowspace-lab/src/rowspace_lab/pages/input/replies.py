"""The replies of the Input page."""

from typing import Literal, NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown
from rowspace_lab.shared.sentence import SentenceFields

Part = Literal["tokens", "segments", "positions"]


class Parts(TypedDict):
    """The contributions of p parts to n tokens, `contributions` (p, n, d).

    `rows` (n, d) are the rows of the table, which the recipe may scale; `total` (n, d) is the sum of the enabled parts;
    `output` (n, d) is the sum after the normalization layer, if the recipe has one and it is on; `dropped` (n, d) is
    what dropout makes of that in training, if it is on.
    """

    parts: list[Part]
    rows: Array
    contributions: Array
    total: Array
    output: NotRequired[Array]
    dropped: NotRequired[Array]


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
    has_norm: bool
    """Whether the recipe has a normalization layer after the sum."""
    dropout: float
    """The probability with which the recipe sets a number to zero in training."""
    seed: int
    """The seed of dropout."""


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
    """The mean norm of rows, `token_norms` (41,), at `scales` (41,), and a scaled row, a position and their sum.

    `parts` (3, d) are these three; `alike` (41, 2) are `alike_tokens` and `alike_positions` at all scales.
    """

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
    parts: Array
    cosine_row: float | None
    """The cosine of the sum with the row."""
    cosine_position: float | None
    """The cosine of the sum with the position."""
    alike_tokens: float | None
    """The mean cosine of the sums of different rows at one position; null for fewer than two rows."""
    alike_positions: float | None
    """The mean cosine of the sums of one row at two positions."""
    alike: Array


class NormsReply(Norms, SentenceFields, Shown):
    """The norms of rows and positions, with the settings of the request; `norms` (n,) are those of the text's rows."""

    norms: Array
    rows: Literal["table", "drawn", "example"]
    position: Literal["sinusoid", "learned"]
    dim: int
    start: int
    scale: float
    at: int
    """The token of the text whose row is shown."""


class InitialSpread(TypedDict):
    """What a tied head predicts before training, for rows drawn with one standard deviation `std`."""

    std: float
    logit_std: float
    """The standard deviation of the logits."""
    top: float
    """The mean of the largest probability."""
    loss: float
    error: float
    """The standard error of the loss."""


class Initial(InitialSpread):
    """The first `logits` (64,) of a hidden vector, and the first `losses` (n,) at standard deviations `spreads`."""

    logits: Array
    blind: float
    """The loss of equal probabilities, ln V."""
    spreads: Array
    losses: Array
    usual: list[InitialSpread]
    """The standard deviations 1, 1/√d and 0.02."""


class InitialReply(Initial, Shown):
    """The first logits and loss, with the settings of the request."""

    vocabulary: int
    states: int
    """The number of hidden vectors that the loss is averaged over."""
    dim: int


class RecipeScale(TypedDict):
    """Whether a recipe scales its token rows, and what it does with positions."""

    name: str
    scaled: bool
    positions: str
    """learned, sinusoid, rotary, alibi, relative or none."""


class Recipes(TypedDict):
    """The scales of all recipes."""

    recipes: list[RecipeScale]


class RecipesReply(Recipes, Shown):
    """The scales of all recipes, with their code."""


class OwnTable(TypedDict):
    """A table of a checkpoint."""

    name: Part
    rows: int
    parameters: int
    mean_norm: float


class OwnTables(TypedDict):
    """The tables of a checkpoint."""

    tables: list[OwnTable]
    width: int
    cosine: float | None
    """The mean |cosine| of token and position rows; null without position rows."""
    chance: float
    """That of random directions."""


class OwnTablesReply(OwnTables, Shown):
    """The tables of a checkpoint, with their code."""

    model: str

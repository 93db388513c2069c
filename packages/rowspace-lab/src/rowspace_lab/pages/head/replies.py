"""The replies of the Head page."""

from typing import Literal, NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown


class HiddenState(TypedDict):
    """A hidden state (d,)."""

    hidden: Array
    bound: float
    """The range of the sliders: -bound to bound."""


class Logits(HiddenState):
    """The k most probable rows: `ids`, dot `products` with the hidden state, `logits` and `probabilities`, all (k,).

    `vectors` (k, d) are the rows of the head, sent only for small d. `mass` (n,) is the total probability of the first
    `ranks` (n,) rows.
    """

    rows: int
    ids: Array
    products: Array
    logits: Array
    probabilities: Array
    vectors: NotRequired[Array]
    ranks: Array
    mass: Array
    entropy: float
    """The entropy in bits."""
    beyond: float
    """The total probability of all other rows."""
    half: int
    """The number of most probable rows that have half of the probability."""
    lost: int
    """The number of rows without a finite logit, which are left out."""


class LogitsReply(Logits, Shown):
    """The most probable rows, with the settings of the request."""

    word: str
    """The word whose row is the initial hidden state; empty for the example."""
    source: Literal["table", "example"]
    dims: list[int]
    """The dimensions that have sliders."""
    dim: int
    tokens: list[str]
    head: Literal["tied", "untied"]
    trained: bool
    """Whether the head is that of the open checkpoint, or uses the table; False for one drawn at random."""
    bias: bool
    temperature: float
    """By default one at which the distribution is not flat."""
    softcap: float | None


class Terms(TypedDict):
    """The logit of the row `id` term by term, the largest terms first.

    For each dimension (d,): its number `order`, `hidden_values`, `row_values`, their `terms`, and the `running` sum.
    """

    id: int
    order: Array
    hidden_values: Array
    row_values: Array
    terms: Array
    running: Array
    bias: float
    """Of the head, 0 without one."""
    product: float
    """The sum of all terms, and the bias."""
    logit: float
    """After softcap and temperature."""


class TermsReply(Terms, Shown):
    """The terms of a logit, with their token."""

    token: str


class Matrices(TypedDict):
    """The parameters of a table and its head."""

    table: int
    head_matrix: int
    """0 for a tied head, which uses the table."""
    bias: int
    total: int


class MatricesReply(Matrices, Shown):
    """The parameters of a table and its head, with their settings."""

    head: Literal["tied", "untied"]
    size: tuple[int, int]
    """V and d."""
    trained: bool


class Evidence(TypedDict):
    """The last held-out measurement of runs (n,): its `steps` and `bits` per byte; `sizes` (n, 2) of their tables."""

    names: list[str]
    tied: list[bool]
    steps: Array
    bits: Array
    sizes: Array


class EvidenceReply(Evidence, Shown):
    """Tied and untied runs, with their code; empty if there are none."""


class Tying(TypedDict):
    """The parameters and bytes that a tied head saves.

    `own` (2,): parameters and bytes of this table's matrix. For each model (n,): `matrices`, the parameters of the
    matrix; `saved`, its bytes; and `parameters` of the whole model, in which a tied matrix counts once.
    """

    own: Array
    models: list[str]
    tied: list[bool]
    sizes: list[tuple[int, int]]
    """V and d of each model."""
    matrices: Array
    saved: Array
    parameters: Array


class TyingReply(Tying, Shown):
    """The savings of a tied head, with their code."""

"""The replies of the Head page."""

from typing import NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown


class HiddenState(TypedDict):
    """A hidden state (d,)."""

    hidden: Array
    bound: float
    """How far its sliders go."""


class Logits(HiddenState):
    """Of the k likeliest rows: `ids`, `products` with the hidden state, `logits`, `probabilities`, all (k,).

    `vectors` (k, d) are the head's, where they are short. `mass` (n,) is what the first `ranks` rows hold.
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
    """In bits."""
    beyond: float
    """The probability of all rows that are not among the likeliest."""
    half: int
    """How many rows hold half of the probability."""
    lost: int
    """Rows without a finite logit, which are left out."""


class LogitsReply(Logits, Shown):
    """The likeliest rows and the whole."""

    word: str
    """The word whose row the hidden state begins as; empty for the lesson's."""
    dims: list[int]
    """Which numbers of the hidden state have sliders."""
    dim: int
    tokens: list[str]


class Tying(TypedDict):
    """What a tied head saves.

    `own`: parameters and bytes of this table's matrix. Of the models (n,): `matrices`, the parameters of the matrix,
    `saved`, its bytes, and the `parameters` of the whole, in which a tied matrix counts once.
    """

    own: Array
    models: list[str]
    tied: list[bool]
    sizes: list[tuple[int, int]]
    """V and the width of a row."""
    matrices: Array
    saved: Array
    parameters: Array


class TyingReply(Tying, Shown):
    """What a tied head saves."""

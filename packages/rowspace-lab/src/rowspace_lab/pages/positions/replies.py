"""The replies of the Positions page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


class PositionRows(TypedDict):
    """The rows of five schemes, (length, dim) float32."""

    sinusoid_interleaved: Array
    sinusoid_concatenated: Array
    learned: Array
    rotary_half: Array
    rotary_interleaved: Array


class PositionRowsReply(PositionRows, Shown):
    """The rows, with the settings of the request."""

    length: int
    dim: int
    base: float
    seed: int
    model: str
    """The `model_type` of the opened checkpoint, whose learned rows these are; empty for untrained rows."""


class Scores(TypedDict):
    """Attention scores of five schemes: `scores` (5, heads, n) by offset, and `pairs` (5, length, length) for one head.

    `pairs` are indexed by query and key. `offsets` (n,) are the n = 2 · length - 1 differences of positions; `slopes`
    (heads,) are ALiBi's, and `buckets` (n,) those of T5's bias.
    """

    offsets: Array
    scores: Array
    pairs: Array
    slopes: Array
    buckets: Array
    deviations: list[float]
    """For each scheme, the largest difference between a score and the mean score at its offset."""
    parameters: list[int]
    """For each scheme, the number of learned parameters."""


class ScoresReply(Scores, Shown):
    """The scores, with the settings of the request."""

    schemes: list[str]
    length: int
    dim: int
    heads: int
    head: int
    causal: bool
    model: str
    """As in `PositionRowsReply`."""


class Scalings(TypedDict):
    """Six scalings: `wavelengths` (6, dim / 2), and `scores` (6, n) at `distances` (n,), for texts of the given length.

    `slowest` (6, m) are the longest wavelengths for texts of `lengths` (m,).
    """

    attention_factors: list[float]
    wavelengths: Array
    distances: Array
    scores: Array
    lengths: Array
    slowest: Array


class ScalingsReply(Scalings, Shown):
    """The scalings, with the settings of the request."""

    scalings: list[str]
    dim: int
    base: float
    original: int
    factor: float
    length: int
    long: list[float]

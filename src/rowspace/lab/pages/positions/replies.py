"""The replies of the Positions page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class PositionRows(TypedDict):
    """Five maps of position by dimension, (length, dim) float32."""

    sinusoid_interleaved: Array
    sinusoid_concatenated: Array
    learned: Array
    rotary_half: Array
    rotary_interleaved: Array


class PositionRowsReply(PositionRows, Shown):
    """The maps, with the sizes of the request."""

    length: int
    dim: int
    base: float
    seed: int


class Scores(TypedDict):
    """Scores of each scheme: `scores` (5, heads, n) by offset; `pairs` (5, length, length) of one head, query by key.

    `offsets` are the n = 2 · length - 1 differences of positions; `slopes` (heads,) are ALiBi's, and `buckets` (n,)
    those of T5's bias.
    """

    offsets: Array
    scores: Array
    pairs: Array
    slopes: Array
    buckets: Array
    deviations: list[float]
    """Of each scheme: how far a score is from the mean of its offset, at most."""
    parameters: list[int]
    """Of each scheme: how many numbers are learned."""


class ScoresReply(Scores, Shown):
    """The scores, with the sizes of the request."""

    schemes: list[str]
    length: int
    dim: int
    heads: int
    head: int
    causal: bool


class Scalings(TypedDict):
    """Six scalings: at the length, `wavelengths` (6, dim / 2) and `scores` (6, n) at `distances` (n,).

    At each of `lengths` (m,): the longest wavelength, `slowest` (6, m).
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

"""The replies of the Analogies page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


class Place(TypedDict):
    """The rank and score of a token among the answers; null if it is not among them."""

    rank: int | None
    score: float | None


class Answers(TypedDict):
    """The best answers by rank, and the expected one.

    `ranks` (n,); `scores` (n,); `cosines` (n, 4) to a, b, c and b - a + c. Coordinates in the plane through a, b and c:
    `corners` (4, 2) for a, b, c and b - a + c, `points` (n, 2) for the answers. `shares` (n,) are the parts of the
    answers' differences from a that lie in the plane.
    """

    question: tuple[str, str, str]
    """a, b and c."""
    expected: str
    keep_inputs: bool
    """Whether a, b and c are among the answers."""
    tokens: list[str]
    of: int
    """The number of possible answers."""
    inputs: list[Place]
    """The ranks of a, b and c if they are not excluded."""
    place: Place | None
    """The rank of the expected token; null if no token is expected."""
    ranks: Array
    scores: Array
    cosines: Array
    corners: Array
    points: Array
    shares: Array


class AnswersReply(Answers, Shown):
    """The best answers, with their code."""


class Examples(TypedDict):
    """Example analogies, and the `ranks` (n,) of the expected words, 0 beyond `deepest`."""

    examples: list[list[str]]
    """Four words for each."""
    deepest: int
    """The number of answers in which the fourth word is searched."""
    ranks: Array


class ExamplesReply(Examples, Shown):
    """Example analogies, with their code."""


class Relation(TypedDict):
    """A relation with its pairs as a text, "man woman, king queen"."""

    name: str
    pairs: str


class Relations(TypedDict):
    """The offsets b - a of two relations, n and m pairs; those of the second follow those of the first.

    `matrix` (n + m, n + m) the cosines between offsets; `points` (n + m, 2) the offsets on the plane through the origin
    that holds most of them, with its `share` (2,) of their squared length.
    """

    pairs: list[tuple[str, str]]
    other: list[tuple[str, str]]
    matrix: Array
    mean: float | None
    """The mean cosine between different offsets of the first relation; null for a single pair."""
    mean_other: float | None
    control: float | None
    """That of offsets to the second words of other pairs."""
    points: Array
    share: Array
    compared: list[int]
    """The number of pairs of each relation that share no word, which the angle is computed from."""
    cosine: float | None
    degrees: float | None
    """The angle between the mean offsets of both relations; null without pairs."""


class RelationsReply(Relations, Shown):
    """The offsets of relations, with their code."""

    offered: list[Relation]
    given: list[str]
    """The pairs of the request."""
    missing: int
    """The number of pairs that are not in the table."""


class WordMap(TypedDict):
    """The `positions` (n, 2) of words, and the `share` of each axis."""

    positions: Array
    share: Array


class WordMapReply(WordMap, Shown):
    """A map of words, with its code."""

    words: list[str]

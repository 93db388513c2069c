"""The replies of the Analogies page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


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

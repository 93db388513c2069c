"""The replies of the Analogies page."""

from typing import TypedDict

from rowspace.lab.shared.figure import Array, Shown


class Place(TypedDict):
    """The place of a token among the answers; null where it is not one."""

    rank: int | None
    score: float | None


class Answers(TypedDict):
    """The best answers, the expected one last.

    `ranks`, `scores` (n,) and `cosines` (n, 4) with a, b, c and b - a + c; `corners` (4, 2) are a, b, c, b - a + c in
    their plane, `points` (n, 2) the answers there, `shares` (n,) the part of their distance from a that is drawn.
    """

    question: tuple[str, str, str]
    """a, b and c."""
    expected: str
    tokens: list[str]
    of: int
    """How many rows could answer."""
    inputs: list[Place]
    """The places of a, b and c if they may be answers too."""
    place: Place | None
    """The place of the expected token; null if no token is expected."""
    ranks: Array
    scores: Array
    cosines: Array
    corners: Array
    points: Array
    shares: Array


class AnswersReply(Answers, Shown):
    """The best answers, drawn."""


class Examples(TypedDict):
    """Well-known analogies, and the `ranks` (n,) of the words expected, 0 past the deepest."""

    examples: list[list[str]]
    """Four words each."""
    deepest: int
    """The fourth is looked for among so many answers."""
    ranks: Array


class ExamplesReply(Examples, Shown):
    """Well-known analogies."""

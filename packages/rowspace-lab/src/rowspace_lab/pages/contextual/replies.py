"""The replies of the Contextual page."""

from typing import TypedDict

from rowspace_lab.shared.figure import Array, Shown


class Layers(TypedDict):
    """A word that occurs k times, in each of n layers, the input among them.

    `xy` (n, k + 1, 2): positions of its vectors, scaled to length 1, and last of its row in the table; the layers are
    aligned to each other. `share` (n,): the share of the vectors' variance that the two axes have. `to_row` (n, k):
    cosines with the row. `between` (n, k, k): cosines of the vectors with each other. (n,) each: `own`, the mean of
    these over pairs; `chance`, the mean cosine of random pairs of different tokens; `inside`, the mean cosine of a
    vector with the mean of its text, minus `chance`; `pooled`, the mean cosine of two texts' means, NaN for one text.
    """

    token: str
    xy: Array
    share: Array
    to_row: Array
    between: Array
    own: Array
    chance: Array
    inside: Array
    pooled: Array
    tokens: list[list[str]]
    """The tokens of each text."""
    places: list[tuple[int, int]]
    """The text and the place in it of each of the k vectors."""


class LayersReply(Layers, Shown):
    """The layers, with the settings of the request."""

    word: str
    texts: list[str]
    senses: list[str]
    """The sense of the word in each text, "river" or "money"; empty for texts other than the examples."""
    model: str
    """The name of the model's folder."""
    missing: str
    """Why the layers are stored ones of the examples, with what to install; empty if they were computed."""

"""The replies of the Words page, and the frames of its maps."""

from typing import Literal, NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown


class WordTokens(TypedDict):
    """A list of tokens, `ids` (n,)."""

    ids: Array
    tokens: list[str]
    norms: list[float]
    counts: list[int] | None
    """The counts of the tokens; null if the table has none."""


class WordTokensReply(WordTokens, Shown):
    """A list of tokens, with their code."""


class Searched(WordTokens):
    """The first tokens that contain a substring."""

    found: int
    """The number of tokens that contain the substring."""


class SearchReply(Searched, Shown):
    """The first tokens that contain a substring, with their code."""


class Neighbors(WordTokens):
    """The nearest tokens, nearest first, with their `scores` (k,)."""

    scores: Array


class NeighborsReply(Neighbors, Shown):
    """The nearest tokens of a word, with their code."""

    word: str


class WordRows(TypedDict):
    """The `rows` (n, d) of words, their `norms` (n,), and `ids` (n,), -1 for words outside the vocabulary."""

    rows: Array
    norms: Array
    ids: Array
    limit: float
    """The largest magnitude in any of the rows."""
    counts: list[int | None] | None


class WordRowsReply(WordRows, Shown):
    """The rows of words, with their code."""

    words: list[str]


class Compared(TypedDict):
    """The pairwise similarities of words, `matrix` (n, n)."""

    matrix: Array


class ComparedReply(Compared, Shown):
    """The pairwise similarities of words, with their code."""

    words: list[str]


class Distances(TypedDict):
    """The Euclidean `distances` from the first word to the others, (n - 1,)."""

    distances: Array
    times: float | None
    """The largest distance divided by the smallest; null if the smallest is zero."""


class DistancesReply(Distances, Shown):
    """The distances from the first word to the others, with their code."""

    words: list[str]


class Pca(TypedDict):
    """The `positions` (V, 2) of all rows on two principal components, and their `share` (2,) of the variance."""

    positions: Array
    share: Array
    left_out: int
    """The number of rows with NaN or infinity, which are left out."""


class PcaReply(Pca, Shown):
    """A map of all rows, with its code."""


class MapQuality(TypedDict):
    """The k, sample size and chance level of a map's neighborhood preservation."""

    by_chance: float
    k: int
    sample: int
    """The number of rows in the sample."""


class Preservation(MapQuality):
    """`preserved` (): the share of rows' k nearest neighbors by cosine that are among their k nearest on the map."""

    preserved: Array


class MapQualityReply(Preservation, Shown):
    """The preservation of neighborhoods by the map of `words/pca`."""


class Values(TypedDict):
    """A value for each row, `values` (V,)."""

    values: Array


class ValuesReply(Values, Shown):
    """A value for each row, with its code."""

    by: Literal["norm", "count", "cluster"]


class Clusters(Values):
    """The cluster of each row, -1 for rows in none."""

    names: list[list[str]]
    """The words nearest to the center of each cluster."""
    sizes: list[int]


class ClustersReply(Clusters, ValuesReply):
    """The cluster of each row, with its code."""


class Ids(TypedDict):
    """All ids (V,) in some order."""

    ids: Array


class OrderReply(Ids, Shown):
    """All ids, in the order in which they are labeled."""

    by: Literal["count", "center"]


class Map(MapQuality):
    """A map of all rows, `positions` (V, 2)."""

    positions: Array
    preserved: float


class MapFrame(TypedDict):
    """A frame of a map in progress: `positions` (n, 2) of the rows `ids` (n,). Only the last frame has all fields."""

    step: int
    steps: int
    mapped: NotRequired[int]
    placed: NotRequired[int]
    """The number of rows that were placed next to their nearest mapped row."""
    preserved: NotRequired[float]
    by_chance: NotRequired[float]
    k: NotRequired[int]
    sample: NotRequired[int]
    code: NotRequired[str]

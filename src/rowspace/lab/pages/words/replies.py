"""The replies of the Words page, and the frames of its maps."""

from typing import Literal, NotRequired, TypedDict

from rowspace.lab.shared.figure import Array, Shown


class WordTokens(TypedDict):
    """A list of tokens, `ids` (n,)."""

    ids: Array
    tokens: list[str]
    norms: list[float]
    counts: list[int] | None
    """How often each was seen; null for a table without counts."""


class WordTokensReply(WordTokens, Shown):
    """A list of tokens."""


class Searched(WordTokens):
    """The first tokens that contain a part."""

    found: int
    """How many tokens contain it."""


class SearchReply(Searched, Shown):
    """The first tokens that contain a part."""


class Neighbors(WordTokens):
    """The nearest tokens, nearest first, with their `scores` (k,)."""

    scores: Array


class NeighborsReply(Neighbors, Shown):
    """The nearest tokens of a word."""

    word: str


class WordRows(TypedDict):
    """Rows of words (n, d), with their `norms` (n,) and `ids` (n,), -1 for a word outside the vocabulary."""

    rows: Array
    norms: Array
    ids: Array
    limit: float
    """The largest magnitude in any of the rows."""
    counts: list[int | None] | None


class WordRowsReply(WordRows, Shown):
    """Rows of words."""

    words: list[str]


class Compared(TypedDict):
    """How near each word is to each, `matrix` (n, n)."""

    matrix: Array


class ComparedReply(Compared, Shown):
    """How near each word is to each."""

    words: list[str]


class Distances(TypedDict):
    """The Euclidean `distances` from the first word to the others, (n - 1,)."""

    distances: Array
    times: float | None
    """How many times closer the nearest is than the farthest; null where the nearest is at no distance."""


class DistancesReply(Distances, Shown):
    """The distances from the first word to the others."""

    words: list[str]


class Pca(TypedDict):
    """`positions` (V, 2) of all rows along two principal components, and the `share` (2,) of each in the variance."""

    positions: Array
    share: Array
    left_out: int
    """Rows that hold NaN or infinity."""


class PcaReply(Pca, Shown):
    """A map of all rows."""


class MapQuality(TypedDict):
    """How well a map preserves neighborhoods."""

    by_chance: float
    k: int
    sample: int
    """How many rows this was counted for."""


class Preservation(MapQuality):
    """`preserved` (): the share of rows' k nearest by cosine that are among their k nearest on the map."""

    preserved: Array


class MapQualityReply(Preservation, Shown):
    """How well the map of `words/pca` preserves neighborhoods."""


class Values(TypedDict):
    """A value for each row, `values` (V,)."""

    values: Array


class ValuesReply(Values, Shown):
    """A value for each row."""

    by: Literal["norm", "count", "cluster"]


class Clusters(Values):
    """The cluster of each row, -1 for none."""

    names: list[list[str]]
    """The three words nearest to the center of each cluster."""
    sizes: list[int]


class ClustersReply(Clusters, ValuesReply):
    """The cluster of each row."""


class Ids(TypedDict):
    """All ids (V,) in some order."""

    ids: Array


class OrderReply(Ids, Shown):
    """All ids, those first that are labeled first."""

    by: Literal["count", "center"]


class Map(MapQuality):
    """A map of all rows, `positions` (V, 2)."""

    positions: Array
    preserved: float


class MapFrame(TypedDict):
    """A frame of a map that is being made: `positions` (n, 2) of the rows `ids` (n,); the last one has all fields."""

    step: int
    steps: int
    mapped: NotRequired[int]
    placed: NotRequired[int]
    """Rows that were placed next to the mapped row that is nearest to them."""
    preserved: NotRequired[float]
    by_chance: NotRequired[float]
    k: NotRequired[int]
    sample: NotRequired[int]
    code: NotRequired[str]

"""The replies of the Words page about maps of rows, and the frames of its maps."""

from typing import Literal, NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown


class Pca(TypedDict):
    """The `positions` (V, 2) of all rows on two principal components, and their `share` (2,) of the variance."""

    positions: Array
    share: Array
    left_out: int
    """The number of rows with NaN or infinity, which are left out."""


class PcaReply(Pca, Shown):
    """A map of all rows, with its code."""

    umap: Literal["stored", "expected", "on request"]
    """Whether `words/stored-umap` has another map, the page should start its job, or leave that to the reader."""


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
    regions: list[list[str]]
    """The two frequent words nearest to the center of each cluster."""
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


class StoredMapReply(Map, Shown):
    """A map of all rows that was computed before, with the code that reads it."""


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


class Palette(TypedDict):
    """Representative words and their `ids` (k,)."""

    ids: Array
    tokens: list[str]


class PaletteReply(Palette, Shown):
    """Representative words, with their code."""


class ChosenMap(TypedDict):
    """The `positions` (n, 2) of chosen words on their own principal components, and the `share` (2,) of these."""

    positions: Array
    share: Array


class ChosenMapReply(ChosenMap, Shown):
    """A map of chosen words, with its code."""

    words: list[str]
    groups: list[int]
    """The number of each word's group."""
    names: list[str]
    """The names of the groups."""
    missing: list[str]
    """Words that have no row."""

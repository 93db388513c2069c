"""The replies of the Words page about words and their rows; `map_replies` has those about maps."""

from typing import NotRequired, TypedDict

from rowspace_lab.shared.figure import Array, Shown


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


class GraphReply(Shown):
    """What is known of the words besides their rows: the graph that they are nodes of, and their groups.

    `ids` (E, 2): the ids of both ends of each edge. A table without a graph has no nodes, no edges and no code.
    """

    nodes: list[str]
    """The tokens by id."""
    ids: Array
    groups: str
    """A group per line, "name: word word"; empty if none are known."""


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


class PairScores(TypedDict):
    """Two rows a and b, `rows` (2, d), and the scores of a with b times each of `factors` (n,).

    `products` (d,) a_i * b_i; `norms` (2,); `dots` (n,), `cosines` (n,), `distances` (n,).
    """

    rows: Array
    products: Array
    norms: Array
    cosine: float
    degrees: float
    """The angle between the rows."""
    factors: Array
    dots: Array
    cosines: Array
    distances: Array


class PairReply(PairScores, Shown):
    """Two rows, with their code."""

    words: tuple[str, str]


class Turned(TypedDict):
    """A word's `row` (d,) and the `turned` row (d,), and its neighbors `before` and `after` all rows were turned."""

    row: Array
    turned: Array
    bars: int
    bars_changed: int
    before: list[str]
    after: list[str]
    neighbors_changed: int
    """The number of neighbors before that are not among those after."""
    scores: Array
    """(k,) before."""
    largest_change: float
    """The largest change of a score."""


class TurnedReply(Turned, Shown):
    """A turned table, with its code."""

    word: str


class CountBins(TypedDict):
    """Counts by rank, `ranks` (r,) and `counts` (r,), rows grouped by count in powers of two, and known pairs of words.

    For each group: `bin_counts` (n,) the median count, `sizes` (n,), `norms` (n, 3) the quartiles of the norms. For
    each group of known pairs by the count of the rarer word, in powers of ten: `pair_counts` (m,) its median,
    `pair_sizes` (m,), and `found` (m,) the share of words whose partner is among the k nearest.
    """

    counted: bool
    """Whether the table has counts."""
    k: int
    by_chance: float
    ranks: Array
    counts: Array
    rare: int
    """Rows with a lower count are rarely seen."""
    rare_rows: int
    rows: int
    bin_counts: Array
    sizes: Array
    norms: Array
    pairs: int
    """The known pairs of words that the table has."""
    fewest: int
    """Groups with fewer pairs are left out."""
    pair_counts: Array
    pair_sizes: Array
    found: Array


class CountsReply(CountBins, Shown):
    """The counts of a table, with their code."""


class Probed(TypedDict):
    """The accuracies of a linear probe; null if too few words have the property or lack it."""

    found: list[int]
    """The number of words with and without the property."""
    examples: list[list[str]]
    """Words with and without the property."""
    each: int
    """The number of words with the property, and without it, in the sample."""
    fewest: int
    """The smallest `each` that is probed."""
    accuracy: float | None
    control: float | None
    majority: float | None
    train: int
    test: int


class ProbedReply(Probed, Shown):
    """The accuracies of a probe, with their code."""

    properties: list[str]


class Learned(TypedDict):
    """Tables learned from one text: for each, the `neighbors` (4, V, k) of each word and their `scores` (4, V, k)."""

    tokens: list[str]
    counts: list[int]
    neighbors: Array
    scores: Array


class LearnedFrame(TypedDict):
    """The first tables learned from one text, in the order of `settings`. Only the last frame has all tables."""

    settings: list[tuple[str, int]]
    """The method and the window of each table."""
    learned: int
    """The number of tables that are learned."""
    seconds: float
    tokens: list[str]
    counts: list[int]
    code: NotRequired[str]

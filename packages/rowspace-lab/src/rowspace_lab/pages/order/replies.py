"""The replies of the Order page."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Array, Shown
from rowspace_lab.shared.sentence import SentenceFields

HeadSource = Literal["checkpoint", "drawn"]


class HeadFields(TypedDict):
    """The head of a reply: one of a checkpoint's first layer, or one drawn at random."""

    source: HeadSource
    sources: list[HeadSource]
    """The sources that this table has."""
    model: str
    """The checkpoint's `model_type`; empty for a head drawn at random."""
    head: int
    heads: int
    """The number of heads to choose from; 1 for a head drawn at random."""
    head_dim: int
    seed: int


class Attention(TypedDict):
    """Attention over n tokens: `queries`, `keys`, `values` and `outputs` (n, d_k), `scores` and `weights` (n, n).

    `shuffled_weights` (n, n) and `shuffled_outputs` (n, d_k) are those of the shuffled sentence, in its order;
    `restored` (n, d_k) are its outputs in the order of the sentence. `differences` (s, 2) are the largest differences
    for each of `schemes`, with full attention and with a causal mask.
    """

    queries: Array
    keys: Array
    values: Array
    scores: Array
    weights: Array
    outputs: Array
    shuffled_weights: Array
    shuffled_outputs: Array
    restored: Array
    difference: float
    """The largest difference between an output and that of the same token in the shuffled sentence."""
    mean_difference: float
    """The largest difference between the means of the outputs of both sentences."""
    schemes: list[str]
    differences: Array


class AttentionReply(Attention, HeadFields, SentenceFields, Shown):
    """Attention before and after shuffling, with the settings of the request."""

    order: list[int]
    """For each place of the shuffled sentence, the token of the sentence at that place."""
    scheme: str
    causal: bool


class Ranking(TypedDict):
    """The k tokens with the highest cosine, and those with the highest q·k/√d_k.

    `by_cosine`, `cosines` and `cosine_places`, their ranks by q·k (k,); `by_product`, `products` and `product_places`,
    their ranks by cosine (k,).
    """

    by_cosine: Array
    cosines: Array
    cosine_places: Array
    by_product: Array
    products: Array
    product_places: Array
    common: int
    """The number of tokens in both lists."""


class RankingReply(Ranking, HeadFields, Shown):
    """Two rankings of a word's neighbors, with the settings of the request."""

    word: str
    cosine_tokens: list[str]
    product_tokens: list[str]


class Saturation(TypedDict):
    """For each d_k of `sizes` (s,): `variances` of q·k, and the mean of the largest softmax weight (s,).

    `plain` is without the root, `divided` with it. The `weights` (s, keys) are the means of all weights, the largest of
    each draw first; each `density` (s, b) is the share of scores in intervals of length 1 around `middles` (b,).
    """

    sizes: Array
    variances: Array
    plain: Array
    divided: Array
    plain_weights: Array
    divided_weights: Array
    middles: Array
    plain_density: Array
    divided_density: Array


class SaturationReply(Saturation, Shown):
    """The scale of scores, with the settings of the request."""

    seed: int
    draws: int
    keys: int


class Waves(TypedDict):
    """A sinusoid: `rows` (length, d), one column `wave` (length,), PE(p) `here`, PE(p + δ) `there` (d,).

    `turned` (d,) is PE(p) with each pair rotated by its `angles` (d / 2,); `periods` (d / 2,) are the wavelengths.
    """

    rows: Array
    wave: Array
    here: Array
    there: Array
    turned: Array
    angles: Array
    periods: Array
    difference: float
    """The largest difference between the rotated PE(p) and PE(p + δ)."""
    product: float
    """PE(p)·PE(p + δ), which depends on δ only."""
    norm: float
    full_turns: int
    """The number of pairs that turn full circle within the text."""


class WavesReply(Waves, Shown):
    """A sinusoid, with the settings of the request."""

    dim: int
    base: float
    length: int
    position: int
    delta: int
    dimension: int


class SchemeUsers(TypedDict):
    """The models of the catalogue with a position scheme: the `models` are the first of each paper."""

    scheme: str
    count: int
    models: list[str]


class Lengths(TypedDict):
    """The scores of five schemes, (5, n), for keys at `distances` (n,), up to four times the trained length."""

    distances: Array
    scores: Array
    unfinished: int
    """The number of pairs that turn less than full circle within the trained length."""
    parameters: list[int]
    users: list[SchemeUsers]
    """The published models of each scheme."""


class LengthsReply(Lengths, Shown):
    """The schemes beyond their trained length, with the settings of the request."""

    dim: int
    trained: int
    heads: int
    seed: int

"""The replies of the Patches page."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Array, Shown


class PictureSize(TypedDict):
    """A picture, `pixels` (height, width, 3 or 1) uint8."""

    pixels: Array
    height: int
    width: int


class PictureReply(PictureSize, Shown):
    """A picture, with its name and code."""

    picture: str
    """The name to request it by."""


class Cut(TypedDict):
    """A picture in patches, and the projection of one patch.

    `image` (H, W, C) uint8, with any padding; `pixels` (n,) of the patch; its projections `linear` and `convolution`
    (dim,); `weight` (n,) of one dimension; `feature` (h, w), the value of that dimension for every patch; `variances`
    (h, w), the variance of the numbers of each patch.
    """

    grid: tuple[int, int]
    """The numbers of patches per column and per row."""
    patches: int
    numbers: int
    """Numbers per patch."""
    parameters: int
    """Parameters of the projection."""
    difference: float
    """The largest difference between the two forms of projection."""
    image: Array
    pixels: Array
    linear: Array
    convolution: Array
    weight: Array
    feature: Array
    variances: Array


class CutReply(Cut, Shown):
    """A picture in patches, with the settings of the request."""

    picture: str
    channels: int
    height: int
    width: int
    patch: int
    at: int
    order: Literal["channels_first", "channels_last"]
    values: str
    dim: int
    unit: int
    seed: int


class PatchCosts(TypedDict):
    """Costs (n,) for each of the patch `sizes` (n,).

    `patches`; `tokens`, with a class token; `numbers` per patch; `parameters` of the projection; attention `scores` per
    head; `attention_flops` per layer; `projection_flops` of all patches.
    """

    sizes: Array
    patches: Array
    tokens: Array
    numbers: Array
    parameters: Array
    scores: Array
    attention_flops: Array
    projection_flops: Array


class PatchCostsReply(PatchCosts, Shown):
    """Costs for each patch size, with the settings of the request."""

    height: int
    width: int
    channels: int
    dim: int
    pad: bool


class Sequence(TypedDict):
    """The input of the first layer, of which the first rows and columns are sent.

    `rows` (n, k), the class token and the projected patches; `positions` (n, k); `sequence` (n, k), their sum.
    """

    tokens: int
    position_parameters: int
    grid: tuple[int, int]
    rows: Array
    positions: Array
    sequence: Array
    row_norm: float
    """The mean norm of the projected patches."""
    position_norm: float


class SequenceReply(Sequence, Shown):
    """The input of the first layer, with the settings of the request."""

    dim: int


class Filters(TypedDict):
    """Filters (count, n) for flat patches, channels first: drawn at random, and learned from the picture.

    The shares (count,) are those of the patches' variance that the first 1, 2, 3 ... filters hold.
    """

    random: Array
    learned: Array
    random_share: Array
    learned_share: Array
    count: int


class CheckpointFilters(TypedDict):
    """Filters (k, n) of a checkpoint, channels first, those with the largest norms; `ids` (k,) their dimensions."""

    filters: Array
    ids: Array
    channels: int
    patch: int
    dim: int


class FiltersReply(Filters, Shown):
    """Filters with the settings of the request."""

    patch: int
    channels: int


class CheckpointFiltersReply(CheckpointFilters, Shown):
    """Filters of the open checkpoint, with their code."""


class TokenCounts(TypedDict):
    """Numbers of `tokens` (n,) and of attention `scores` (n,) per head, by what a token is."""

    names: list[str]
    tokens: Array
    scores: Array


class TokenCountsReply(TokenCounts, Shown):
    """Numbers of tokens, with the settings of the request."""

    height: int
    width: int
    channels: int


class CheckpointReply(TypedDict):
    """Whether a checkpoint of text and images is open."""

    model_type: str
    """clip or siglip, or empty."""


class Towers(TypedDict):
    """Texts and pictures as unit vectors of one space, by the two encoders of a checkpoint.

    `texts` (t, k), `pictures` (p, k), their `cosines` (p, t), and the `positions` (t + p, 2) of all on a plane.
    """

    texts: Array
    pictures: Array
    cosines: Array
    positions: Array


class TowersReply(Towers, Shown):
    """Texts and pictures, with their names."""

    text_names: list[str]
    picture_names: list[str]

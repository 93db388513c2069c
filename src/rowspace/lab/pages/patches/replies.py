"""The replies of the Patches page."""

from typing import Literal, TypedDict

from rowspace.lab.shared.figure import Array, Shown


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
    (dim,); `weight` (n,) of one dimension; `feature` (h, w), the value of that dimension for every patch.
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

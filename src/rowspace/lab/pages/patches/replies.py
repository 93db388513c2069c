"""The replies of the Patches page."""

from typing import Literal, TypedDict

from rowspace.lab.shared.figure import Array, Shown


class PictureSize(TypedDict):
    """A picture, `pixels` (height, width, 3 or 1) uint8."""

    pixels: Array
    height: int
    width: int


class PictureReply(PictureSize, Shown):
    """A picture that patches can be cut from."""

    picture: str
    """The name to request it by."""


class Cut(TypedDict):
    """A picture in patches, and one of them projected.

    `image` (H, W, C) uint8 with any padding; `pixels` (n,) of the patch; `linear` and `convolution` (dim,); `weight`
    (n,), that of one dimension, and `feature` (h, w), the value of this dimension for every patch.
    """

    grid: tuple[int, int]
    """Patches down and across."""
    patches: int
    numbers: int
    """Of one patch."""
    parameters: int
    """Of the projection."""
    difference: float
    """Between the two forms of projection, at most."""
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
    """Counts (n,) for each of the `sizes` (n,) of a patch.

    `patches`; `tokens`, with a class token; `numbers` of one patch; `parameters` of the projection; `scores` of one
    head; `attention_flops` of one layer, and `projection_flops` of all patches.
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
    """Counts for each size of a patch, with the sizes of the request."""

    height: int
    width: int
    channels: int
    dim: int
    pad: bool
